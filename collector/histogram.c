/* SPDX-License-Identifier: Apache-2.0 */
/* histogram - how far W lay behind the clock */

#include "collector/histogram.h"

/* The first two doublings' worth of values have a bucket each; from there on 2^shift values share one. */
static unsigned bucket_of(uint64_t ns)
{
	unsigned shift = ns < 2 * TM_LAG_STEPS ? 0 : 58 - (unsigned)__builtin_clzll(ns);

	return shift * TM_LAG_STEPS + (unsigned)(ns >> shift);
}

static uint64_t largest_in(unsigned bucket)
{
	unsigned shift = bucket < 2 * TM_LAG_STEPS ? 0 : bucket / TM_LAG_STEPS - 1;

	return ((bucket - shift * TM_LAG_STEPS + 1ull) << shift) - 1;
}

void tm_lag_add(struct tm_lag *lag, uint64_t ns)
{
	lag->counts[bucket_of(ns)]++;
	lag->sum++;
	if (ns > lag->max)
		lag->max = ns;
}

uint64_t tm_lag_p99(const struct tm_lag *lag)
{
	uint64_t above = lag->sum / 100; /* so many may exceed it */
	unsigned bucket = TM_LAG_BUCKETS;

	for (uint64_t seen = 0; bucket > 0 && seen <= above;)
		seen += lag->counts[--bucket];
	return largest_in(bucket) < lag->max ? largest_in(bucket) : lag->max;
}
