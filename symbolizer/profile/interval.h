/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * interval - what was sampled since the last report, closed and handed over as a whole
 *
 * While it is open, samples are counted into `aggregate` and refer to the live tables of processes,
 * files and methods. Closing it copies the entries that they may refer to; from then on it refers
 * to nothing outside, nobody changes it but whoever makes the report, and the next interval is
 * open. The live tables take the strings of what lives on with them into the next one.
 *
 * Memory     of the profile's share of the total, at most half is for stacks and samples, a quarter
 *            each for strings and for the live tables, an eighth for methods. Closing an interval
 *            moves it to the share of the reports, where its names and its report are charged, too.
 * Threads    one at a time: the reader's until it is closed, the reporter's then.
 */

#include "symbolizer/profile/aggregate.h"
#include "symbolizer/profile/thread_rows.h"

/* Of the profile's share: */
#define INTERVAL_COUNTED_PART 2u /* stacks and samples */
#define INTERVAL_STRINGS_PART 4u
#define INTERVAL_TABLES_PART  4u /* for the caller's tables of processes and files */
#define INTERVAL_METHODS_PART 8u /* for the caller's methods */
#define INTERVAL_THREADS_PART 8u /* for the caller's table of threads, with --off-cpu */

struct interval {
	struct budget counted; /* of `aggregate` */
	struct budget budget;  /* of all else */
	struct strings strings;
	struct aggregate aggregate;
	struct thread_rows threads;
	struct sample_sum in_progress;  /* sleeps that have not ended; `aggregate` has them, too */
	struct process_table processes; /* once closed: copies of the entries, and nothing else */
	struct files files;             /* the same */
	struct methods methods;         /* once closed: copies of those that were sampled */
};

/* Opens one. Return: NULL when memory is short. */
struct interval *interval_open(struct budget_total *total, const struct hash_seed *seed,
			       struct process_table *processes, struct files *files,
			       struct methods *methods);
/*
 * Closes @interval and opens the next one, with which the live tables go on.
 * Return: 0; BUDGET_E_SPENT: there is no memory for it beside the other reports, and it stays open.
 */
int interval_close(struct interval *interval, struct interval **ret_next);
/* The same for the last one, which goes on referring to the live tables. */
int interval_close_last(struct interval *interval);
/* Returns NULL. */
struct interval *interval_free(struct interval *interval);
