/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * histogram - counts durations by size, for percentiles
 *
 * Shape      buckets of HISTOGRAM_STEP_NS, so a percentile is at most that much too large; the
 *            last one has all that are longer, and stands for the longest.
 * Units      ns.
 */

#include <stdint.h>

#define HISTOGRAM_STEP_NS 500000u
#define HISTOGRAM_BUCKETS 2048u

struct histogram {
	uint64_t counts[HISTOGRAM_BUCKETS];
	uint64_t sum; /* of the counts */
	uint64_t max;
};

void histogram_add(struct histogram *lag, uint64_t ns);
/* Return: the 99th percentile, rounded up to the end of its bucket; 0 for an empty histogram. */
uint64_t histogram_p99(const struct histogram *lag);
