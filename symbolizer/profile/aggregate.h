/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * aggregate - counts equal samples together, by all of their frames
 *
 * Key        (generation, thread, thread's name, stop, flags, stack). Each distinct stack is stored
 *            once, as encoded frames; the file bits of a FILE frame hold an index of files.h, not
 *            the file number that the collector sent. A stack with a frame in anonymous memory
 *            is one generation's alone: the same address means other code in another one.
 * Limits     everything is charged to a budget. When it is full the profile becomes coarser
 *            instead of ending (aggregate_merge.h): rare stacks lose their deepest frames, in whose
 *            place one AGGREGATE_MERGED stands. So the samples of each process stay exact. Only a
 *            sample for whose process there is no memory either is dropped, and counted by the
 *            caller (`memory`).
 */

#include "symbolizer/profile/aggregate_entries.h"

/* Charged to @strings' budget, until aggregate_charge names another one. */
void aggregate_init(struct aggregate *aggregate, struct strings *strings,
		    struct process_table *processes, struct files *files);
/* While it is empty. @budget: borrowed. */
void aggregate_charge(struct aggregate *aggregate, struct budget *budget);
/* Frees everything; the aggregate is empty then and may be used again. */
void aggregate_deinit(struct aggregate *aggregate);
/* @sample: already validated. Return: 0, BUDGET_E_SPENT (nothing was counted). */
int aggregate_add(struct aggregate *aggregate, const struct tm_sample *sample);
