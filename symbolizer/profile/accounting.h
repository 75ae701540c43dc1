/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * accounting - checks that every sample is accounted for: taken = exported + drops, by reason
 *
 * This holds of the samples of each kind, and of the ns that off-CPU samples stand for.
 *
 * Wrap         the sums of ns of a whole service pass 2^64: after three weeks with 10,000 threads
 *              that sleep. Here and in struct sample_counts they wrap around, and what two of them
 *              are apart is right as long as it is below 2^63; one report's part always is.
 * Bad records  what a refused record says of itself cannot be trusted. How many there were of a
 *              kind is known at the end of a recording: those that were pushed and not read as
 *              valid, as far as so many were refused at all. Until then a refused record counts as
 *              the kind that it claims. Its ns are known at the end alone: pushed and not read,
 *              where records of the kind are missing. So it is the last report that has the ns of
 *              all bad records.
 */

#include <stdbool.h>

#include "shared/wire.h"
#include "symbolizer/profile/sample_kind.h"

struct accounting_sum { /* in samples of one kind, or in their ns */
	uint64_t taken;
	uint64_t exported;
	uint64_t drops[TM_DROP_N]; /* counted by the collector and by the symbolizer */
	uint64_t own[TM_DROP_N];   /* those that the symbolizer counted */
	uint64_t unexplained;      /* 0 unless counts are wrong */
};

struct accounting {
	struct accounting_sum on_cpu; /* samples */
	struct accounting_sum off_cpu;
	struct accounting_sum off_cpu_ns;
	uint64_t not_run; /* timer ticks at which the sampling program did not run */
};

struct accounting_read { /* what the symbolizer did with the records of the ring */
	struct sample_counts samples[TM_SAMPLE_KINDS_N];
	uint64_t bad_records;
	bool broken;         /* the ring is corrupt, and its rest was not read */
	bool collector_died; /* it exited without sending END */
};

/* Computes the sums of the whole recording, at its end. */
void accounting_close(struct accounting *sums, const struct tm_counts *counts,
		      const struct accounting_read *read);
/* Computes the sums so far, without samples that are still in the rings. */
void accounting_so_far(struct accounting *sums, const struct tm_counts *counts,
		       const struct accounting_read *read);
/* What reports that covered @counts contained. */
void accounting_resume(struct accounting *reported, const struct tm_counts *counts);
/* The counterpart of accounting_resume: what a symbolizer that follows this one must leave out of
 * its reports. All that was reported, or dropped by us, counts for it as lost with us, since that
 * is how the collector counts it. @counts: the collector's, as of the last report. */
void accounting_baseline(const struct accounting *reported, const struct tm_counts *counts,
			 struct tm_counts *ret_baseline);
/*
 * Subtracts from @sums what earlier reports contained, which is @reported, and adds the difference
 * to @reported.
 */
void accounting_since(struct accounting *sums, struct accounting *reported);
/* Subtracts @before from the cumulative counts, and leaves sizes and other current values as they
 * are. */
void accounting_counts_from(struct tm_counts *counts, const struct tm_counts *before);
/* The same; what @sums has of the same recording (taken, owed, drops) is taken from there. */
void accounting_counts_since(struct tm_counts *counts, const struct tm_counts *before,
			     const struct accounting *sums);
