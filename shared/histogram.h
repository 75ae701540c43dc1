/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * histogram - counts durations by size, so that the counts of any two moments can be subtracted
 *
 * Shape      TM_HISTOGRAM_BUCKETS: of one unit each at first, then four between a duration and its
 *            double, so a bucket's end is a quarter too large at most. The last one, from 1.8 s on,
 *            has no end.
 */

#include <stdint.h>

#include "shared/wire.h"

#define TM_HISTOGRAM_UNIT_NS 250000u

/* Return: the number of the bucket of @ns. */
static inline unsigned tm_histogram_bucket(uint64_t ns)
{
	const uint64_t units = ns / TM_HISTOGRAM_UNIT_NS;
	const unsigned halved = units < 8 ? 0 : 61 - (unsigned)__builtin_clzll(units);
	const uint64_t bucket = 4 * halved + (units >> halved);

	return bucket < TM_HISTOGRAM_BUCKETS ? (unsigned)bucket : TM_HISTOGRAM_BUCKETS - 1;
}
