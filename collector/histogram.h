/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * histogram - how far W lay behind the clock: count by size, in 32 steps to each doubling
 */

#include <stdint.h>

#define TM_LAG_STEPS   32u
#define TM_LAG_BUCKETS (60u * TM_LAG_STEPS)

struct tm_lag {
	uint64_t counts[TM_LAG_BUCKETS];
	uint64_t sum; /* of the counts */
	uint64_t max;
};

void tm_lag_add(struct tm_lag *lag, uint64_t ns);
/* Return: what 99 of 100 did not exceed, at most one step too much; 0 without any. */
uint64_t tm_lag_p99(const struct tm_lag *lag);
