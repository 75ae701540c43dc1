/* SPDX-License-Identifier: Apache-2.0 */
/* histogram - counts durations by size, for percentiles */

#include "collector/histogram.h"

/* Values below 2 * HISTOGRAM_STEPS have a bucket each; from there on 2^shift values share one. */
static unsigned bucket_of(uint64_t ns)
{
	unsigned shift = ns < 2 * HISTOGRAM_STEPS ? 0 : 58 - (unsigned)__builtin_clzll(ns);

	return shift * HISTOGRAM_STEPS + (unsigned)(ns >> shift);
}

static uint64_t largest_in(unsigned bucket)
{
	unsigned shift = bucket < 2 * HISTOGRAM_STEPS ? 0 : bucket / HISTOGRAM_STEPS - 1;

	return ((bucket - shift * HISTOGRAM_STEPS + 1ull) << shift) - 1;
}

void histogram_add(struct histogram *lag, uint64_t ns)
{
	lag->counts[bucket_of(ns)]++;
	lag->sum++;
	if (ns > lag->max)
		lag->max = ns;
}

uint64_t histogram_p99(const struct histogram *lag)
{
	uint64_t above = lag->sum / 100; /* so many may exceed it */
	unsigned bucket = HISTOGRAM_BUCKETS;

	for (uint64_t seen = 0; bucket > 0 && seen <= above;)
		seen += lag->counts[--bucket];
	return largest_in(bucket) < lag->max ? largest_in(bucket) : lag->max;
}
