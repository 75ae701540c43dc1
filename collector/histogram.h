/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * histogram - counts durations by size, for percentiles
 *
 * Shape      logarithmic buckets, HISTOGRAM_STEPS for each doubling, so a percentile is at most
 *            1/32 too large.
 * Units      ns.
 */

#include <stdint.h>

#define HISTOGRAM_STEPS   32u
#define HISTOGRAM_BUCKETS (60u * HISTOGRAM_STEPS)

struct histogram {
	uint64_t counts[HISTOGRAM_BUCKETS];
	uint64_t sum; /* of the counts */
	uint64_t max;
};

void histogram_add(struct histogram *lag, uint64_t ns);
/* Return: the 99th percentile, rounded up to the end of its bucket; 0 for an empty histogram. */
uint64_t histogram_p99(const struct histogram *lag);
