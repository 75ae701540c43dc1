/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * accounting - what the reports so far have told, so that the next one tells only the rest
 *
 * Shape      sums over the stored reports. The collector counts the whole recording; the whole less
 *            the ledger is the report in the making. A symbolizer tells of its own reports alone.
 * Restart    the collector counts all that it had handed to a dead symbolizer as lost with it; what
 *            stands in stored reports is not, and is taken off again.
 */

#include "cli/balance.h"

struct accounting {
	unsigned reports;      /* stored */
	struct tm_counts told; /* sums; only what grows has a meaning */
	uint64_t taken, exported, dropped, not_run;
	uint64_t handled; /* exported or dropped by the symbolizer that runs now */
	uint64_t buried;  /* the same of those that died */
};

/* @whole, of the whole recording, less what was told. What does not grow stays as it is. */
void accounting_rest(const struct accounting *ledger, const struct tm_counts *whole,
		     struct tm_counts *ret_rest);
/* Copies what does not grow. */
void accounting_copy_states(const struct tm_counts *whole, struct tm_counts *counts);
/*
 * What a symbolizer that follows a dead one must leave out of its reports: all that was told counts
 * for it as dropped.
 */
void accounting_baseline(const struct accounting *ledger, struct tm_counts *ret_counts);
/* One more report is told. @counts: of its interval. */
void accounting_add(struct accounting *ledger, const struct tm_counts *counts,
		    const struct tm_result *result, const struct balance *balance);
/* The symbolizer died. */
void accounting_on_death(struct accounting *ledger);
