/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * in_progress - counts the part of a sleep that lies in an interval before the sleep has ended
 *
 * A sleep is known by its thread and its beginning. What was reported of it is remembered with the
 * thread, and is taken off the sample with which it ends. So each ns of it is in one report. What
 * could not be remembered is not reported before the end.
 */

#include "symbolizer/profile/aggregate.h"
#include "symbolizer/profile/threads.h"

/*
 * Counts what has passed of the sleep of @record before @until, and was not reported yet, as an
 * off-CPU sample. Its stack is that of the thread's last off-CPU sample if that waited at the same
 * place, else the kernel frames of @record and AGGREGATE_IN_PROGRESS. @record: of @thread,
 * validated. @sum: raised.
 */
void in_progress_add(struct threads *threads, struct thread *thread, struct aggregate *aggregate,
		     const struct tm_thread *record, uint64_t until, struct sample_sum *sum);
/* An off-CPU sample that is due. Return: the part of its value that was not reported before. */
uint64_t in_progress_left(struct threads *threads, const struct tm_sample *sample);
