/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * histogram - how far W lay behind the clock: count by size, in 32 steps to each doubling
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
/* Return: what 99 of 100 did not exceed, at most one step too much; 0 without any. */
uint64_t histogram_p99(const struct histogram *lag);
