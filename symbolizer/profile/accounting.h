/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * accounting - checks that every sample is accounted for: taken = exported + drops, by reason
 */

#include <stdbool.h>

#include "shared/wire.h"

struct accounting {
	uint64_t taken;
	uint64_t exported;
	uint64_t drops[TM_DROP_N]; /* counted by the collector and by the symbolizer */
	uint64_t own[TM_DROP_N];   /* those that the symbolizer counted */
	uint64_t not_run;          /* timer ticks at which the sampling program did not run */
	uint64_t unexplained;      /* 0 unless counts are wrong */
};

struct accounting_read {  /* what the symbolizer did with the records of the ring */
	uint64_t samples; /* valid samples that were read */
	uint64_t bad_records;
	uint64_t bad_samples;  /* bad records whose type is that of a sample */
	uint64_t memory_drops; /* valid samples that were dropped for lack of memory */
	uint64_t exported;
	bool broken;         /* the ring is corrupt, and its rest was not read */
	bool collector_died; /* it exited without sending END */
};

/* Computes the sum of the whole recording, at its end. */
void accounting_close(struct accounting *sum, const struct tm_counts *counts,
		      const struct accounting_read *read);
/* Computes the sum so far, without samples that are still in the rings. */
void accounting_so_far(struct accounting *sum, const struct tm_counts *counts,
		       const struct accounting_read *read);
/*
 * Subtracts from @sum what earlier reports contained, which is @reported, and adds the difference
 * to @reported.
 */
void accounting_since(struct accounting *sum, struct accounting *reported);
/*
 * Subtracts @before from the cumulative counts, and leaves sizes and other current values as they
 * are. What @sum has of the same recording (taken, owed, drops) is taken from there.
 */
void accounting_counts_since(struct tm_counts *counts, const struct tm_counts *before,
			     const struct accounting *sum);
