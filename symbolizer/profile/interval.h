/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * interval - what was sampled since the last report, closed and handed over as a whole
 *
 * While it is open, samples are counted into `aggregate` and refer to the live tables of processes
 * and files. Closing it copies the entries that they may refer to; from then on it refers to
 * nothing outside, nobody changes it but whoever makes the report, and the next interval is open.
 * The live tables take the strings of what lives on with them into the next one.
 *
 * Memory     strings, stacks and samples are charged to the interval's budget, and with it to the
 *            total that all intervals share. While a report is made of a closed one, it may exceed
 *            that total by INTERVAL_REPORT_BYTES, so that a full profile can still be named.
 * Threads    one at a time: the reader's until it is closed, the reporter's then.
 */

#include "symbolizer/profile/aggregate.h"

#define INTERVAL_REPORT_BYTES (384ull << 20) /* for names and the report's own tables */
#define INTERVAL_FIRST_BYTES  (1ull << 20)   /* beyond the total, so that a next one always opens */

struct interval {
	struct budget budget;
	struct strings strings;
	struct aggregate aggregate;
	struct process_table processes; /* once closed: copies of the entries, and nothing else */
	struct files files;             /* the same */
};

/* Opens one. Return: NULL when memory is short. */
struct interval *interval_open(struct budget_total *total, const struct hash_seed *seed,
			       struct process_table *processes, struct files *files);
/*
 * Closes @interval; the live tables that it refers to go on with @next.
 * Return: 0; BUDGET_E_SPENT: it stays open.
 */
int interval_close(struct interval *interval, struct interval *next);
/* Returns NULL. */
struct interval *interval_free(struct interval *interval);
