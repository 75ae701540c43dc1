/* SPDX-License-Identifier: Apache-2.0 */
/* lags - the largest lags of W among those that were counted */

#include "cli/lags.h"

#include "shared/histogram.h"

static uint64_t end_ns(unsigned bucket)
{
	const uint64_t units = bucket < 8 ? bucket + 1ull : (bucket % 4 + 5ull) << (bucket / 4 - 1);

	return bucket < TM_HISTOGRAM_BUCKETS - 1 ? units * TM_HISTOGRAM_UNIT_NS : UINT64_MAX;
}

static uint64_t sum_of(const struct tm_counts *counts)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < TM_HISTOGRAM_BUCKETS; i++)
		sum += counts->lags[i];
	return sum;
}

/* @above: so many may exceed it. */
static uint64_t largest(const struct tm_counts *counts, uint64_t above)
{
	unsigned bucket = TM_HISTOGRAM_BUCKETS;
	uint64_t end;

	if (sum_of(counts) <= above)
		return 0;
	for (uint64_t seen = 0; bucket > 0 && seen <= above;)
		seen += counts->lags[--bucket];
	end = end_ns(bucket);
	return end < counts->lag_max_ns ? end : counts->lag_max_ns;
}

uint64_t lags_p99_ns(const struct tm_counts *counts)
{
	return largest(counts, sum_of(counts) / 100);
}

uint64_t lags_max_ns(const struct tm_counts *counts)
{
	return largest(counts, 0);
}
