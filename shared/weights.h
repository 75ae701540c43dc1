/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * weights - for how long, and how far, the sampling rate was lowered
 */

#include "shared/wire.h"

/* @weight_ns: of tm_counts or a report. Return: ns in which a hit stood for more than one period;
 * *@ret_most: for how many at most, 1 if never. */
static inline uint64_t tm_weights_lowered(const uint64_t weight_ns[TM_WEIGHTS_N],
					  unsigned *ret_most)
{
	uint64_t ns = 0;

	*ret_most = 1;
	for (unsigned i = 1; i < TM_WEIGHTS_N; i++) {
		ns += weight_ns[i];
		*ret_most = weight_ns[i] ? 1u << i : *ret_most;
	}
	return ns;
}
