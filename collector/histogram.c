/* SPDX-License-Identifier: Apache-2.0 */
/* histogram - counts durations by size, for percentiles */

#include "collector/histogram.h"

void histogram_add(struct histogram *lag, uint64_t ns)
{
	uint64_t step = ns / HISTOGRAM_STEP_NS;

	lag->counts[step < HISTOGRAM_BUCKETS ? step : HISTOGRAM_BUCKETS - 1]++;
	lag->sum++;
	if (ns > lag->max)
		lag->max = ns;
}

uint64_t histogram_p99(const struct histogram *lag)
{
	uint64_t above = lag->sum / 100; /* so many may exceed it */
	uint64_t bucket = HISTOGRAM_BUCKETS, end;

	for (uint64_t seen = 0; bucket > 0 && seen <= above;)
		seen += lag->counts[--bucket];
	end = bucket < HISTOGRAM_BUCKETS - 1 ? (bucket + 1) * HISTOGRAM_STEP_NS : lag->max;
	return end < lag->max ? end : lag->max;
}
