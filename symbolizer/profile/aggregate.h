/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * aggregate - counts equal samples together, by all of their frames
 *
 * Key        (generation, thread, its name, stop, flags, kind, state, stack, waker). Each distinct
 *            stack is stored once, for all kinds and wakers, as encoded frames; the file bits of a
 *            FILE frame hold an index of files.h, not the file number that was sent. A stack with a
 *            frame in anonymous memory is one generation's alone: the same address means other
 *            code in another one.
 * Code       where a process has a jitdump, samples with a frame in anonymous memory keep their
 *            times, up to AGGREGATE_TIMED_MAX of them, until the report knows what lay there then
 *            (aggregate_rewrite.h).
 * Limits     everything is charged to a budget. When it is full the profile becomes coarser
 *            instead of ending (aggregate_merge.h): rare stacks lose their deepest frames, in whose
 *            place one AGGREGATE_MERGED stands. So the samples of each process stay exact, in
 *            count and value of each kind. Only a sample for whose process there is no memory
 *            either is dropped, and counted by the caller (`memory`).
 */

#include "symbolizer/profile/aggregate_entries.h"

/* Charged to @strings' budget, until aggregate_charge names another one. */
void aggregate_init(struct aggregate *aggregate, struct strings *strings,
		    struct process_table *processes, struct files *files, struct methods *methods);
/* While it is empty. @budget: borrowed. */
void aggregate_charge(struct aggregate *aggregate, struct budget *budget);
/* Frees everything; the aggregate is empty then and may be used again. */
void aggregate_deinit(struct aggregate *aggregate);
/*
 * Counts a sample: it stands for its value; on-CPU without one for a period. @sample: already
 * validated. Return: 0, BUDGET_E_SPENT (nothing was counted).
 */
int aggregate_add(struct aggregate *aggregate, const struct tm_sample *sample);
/* The same for a sample that stands for @value ns. */
int aggregate_add_value(struct aggregate *aggregate, const struct tm_sample *sample,
			uint64_t value);
/* The same for a sleep that @waker ended; NULL: that is not known. Where there is no memory for its
 * stack, the sleep is counted without it. */
int aggregate_add_woken(struct aggregate *aggregate, const struct tm_sample *sample, uint64_t value,
			const struct tm_sample *waker);
