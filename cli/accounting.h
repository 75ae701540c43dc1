/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * accounting - taken = exported + dropped by reason, in each report and over all
 *
 * Shape      the collector counts what was taken and dropped on its side, the symbolizer what it
 *            exported and dropped. Where one of them died, the difference is what died with it.
 *            The collector counts the whole recording; the whole less the sums over the stored
 *            reports is the next report. A symbolizer counts only its own reports.
 * Restart    the collector counts all that it had handed to a dead symbolizer as lost with it. What
 *            is in stored reports is not lost, and is subtracted again.
 * Units      each of them balances by itself. What an off-CPU sample stands for is known in ns.
 */

#include <stdbool.h>
#include <stdint.h>

#include "shared/result.h"

enum accounting_unit {
	ACCOUNTING_ON_CPU,     /* samples */
	ACCOUNTING_OFF_CPU,    /* samples */
	ACCOUNTING_OFF_CPU_NS, /* that these stand for */
	ACCOUNTING_UNITS_N
};

struct accounting_sum {
	uint64_t taken;
	uint64_t exported;
	uint64_t drops[TM_DROP_N];
	uint64_t dropped; /* sum of drops */
};

struct accounting_balance {
	struct accounting_sum of[ACCOUNTING_UNITS_N];
	uint64_t truncated[TM_STOP_N];
	uint64_t cut;     /* sum of truncated, NONE left out */
	uint64_t not_run; /* owed by the perf events, never run by the kernel */
};

enum accounting_death {
	ACCOUNTING_NONE_DIED,
	ACCOUNTING_COLLECTOR_DIED,
	ACCOUNTING_SYMBOLIZER_DIED, /* its result is not known, and ignored */
};

struct accounting {
	unsigned reports;          /* stored */
	struct tm_counts reported; /* sums; only what grows has a meaning */
	struct accounting_sum of[ACCOUNTING_UNITS_N];
	uint64_t not_run;
	uint64_t alive[ACCOUNTING_UNITS_N]; /* exported or dropped by the symbolizer that runs */
	uint64_t dead[ACCOUNTING_UNITS_N];  /* the same of those that died */
};

/* One report. @counts, @result: of its interval. */
void accounting_balance_make(struct accounting_balance *ret_balance, const struct tm_counts *counts,
			     const struct tm_result *result, enum accounting_death death);

/* taken - exported - dropped; anything but 0 is an error of ours */
int64_t accounting_difference(const struct accounting_sum *sum);
bool accounting_balances(const struct accounting_balance *balance);
/* Adds @more to @sum. */
void accounting_sum_add(struct accounting_sum *sum, const struct accounting_sum *more);

/* @whole, of the whole recording, less what was reported. What does not grow stays as it is. */
void accounting_rest(const struct accounting *accounting, const struct tm_counts *whole,
		     struct tm_counts *ret_rest);
/* Copies what does not grow. */
void accounting_copy_states(const struct tm_counts *whole, struct tm_counts *counts);
/*
 * What a symbolizer that follows a dead one must leave out of its reports: all that was reported
 * counts for it as dropped.
 */
void accounting_baseline(const struct accounting *accounting, struct tm_counts *ret_counts);
/* One more report is stored. @counts: of its interval. */
void accounting_add(struct accounting *accounting, const struct tm_counts *counts,
		    const struct tm_result *result, const struct accounting_balance *balance);
/* The symbolizer died. */
void accounting_on_death(struct accounting *accounting);
