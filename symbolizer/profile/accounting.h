/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * accounting - the sum that must come out: taken = exported + drops, by reason
 */

#include <stdbool.h>

#include "shared/wire.h"

struct accounting {
	uint64_t taken;
	uint64_t exported;
	uint64_t drops[TM_DROP_N]; /* the collector's and our own */
	uint64_t own[TM_DROP_N];   /* our own alone */
	uint64_t not_run;
	uint64_t unexplained; /* 0 in every honest run */
};

struct accounting_read {  /* what became of the records here */
	uint64_t samples; /* read and good */
	uint64_t bad_records;
	uint64_t bad_samples; /* of those, what said that it was a sample */
	uint64_t memory;
	uint64_t exported;
	bool broken;         /* the ring became unreadable */
	bool collector_died; /* no END came */
};

/* Of the whole recording, at its end. */
void accounting_close(struct accounting *balance, const struct tm_counts *counts,
		      const struct accounting_read *read);
/* Of the recording so far: what is under way counts as not taken yet. */
void accounting_so_far(struct accounting *balance, const struct tm_counts *counts,
		       const struct accounting_read *read);
/*
 * Makes @balance that of what came since the earlier reports, whose sum is @reported, and adds it.
 */
void accounting_since(struct accounting *balance, struct accounting *reported);
/* The counts that go with it: what grows as it grew since @before, the rest as it is. */
void accounting_counts_since(struct tm_counts *counts, const struct tm_counts *before,
			     const struct accounting *balance);
