/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * lag - how far W lay behind the clock: count by size, in 32 steps to each doubling
 */

#include <stdint.h>

#define LAG_STEPS   32u
#define LAG_BUCKETS (60u * LAG_STEPS)

struct lag {
	uint64_t counts[LAG_BUCKETS];
	uint64_t sum; /* of the counts */
	uint64_t max;
};

void lag_add(struct lag *lag, uint64_t ns);
/* Return: what 99 of 100 did not exceed, at most one step too much; 0 without any. */
uint64_t lag_p99(const struct lag *lag);
