/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * stack_join - joins a stack that was taken before a wait with the samples that end the wait
 *
 * Where the kernel runs no program behind a context switch, such stacks come as records of their
 * own (shared/event.h, struct tm_sample). A thread has one, the last; it lies with the thread.
 * Limits     those of threads.h. A sample whose stack was lost or whose files have been retired
 *            since has no frames and TM_STOP_NO_STACK.
 */

#include <stdbool.h>

#include "symbolizer/profile/files.h"
#include "symbolizer/profile/threads.h"

/* Whether @sample is a stack taken before a wait, and no sample. */
static inline bool stack_join_is_stack(const struct tm_sample *sample)
{
	return sample->kind == TM_SAMPLE_OFF_CPU && sample->stack && !sample->value;
}

/* @stack: one whose turn has come. */
void stack_join_keep(struct threads *threads, const struct tm_sample *stack);
/*
 * @sample: one whose turn has come. Return: the same if it has its own stack; else one with the
 * stack of its thread, and the time at which that was taken, which is valid until the next call.
 */
const struct tm_sample *stack_join(struct threads *threads, const struct files *files,
				   const struct tm_sample *sample);
