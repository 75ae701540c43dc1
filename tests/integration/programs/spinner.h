/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * spinner - defines functions that spin for a given CPU time of their thread, each under its own
 * name
 */

#include <stdint.h>
#include <time.h>

#include "noinline.h"
#include "spin.h"

static inline uint64_t spinner_used_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * Defines name(milliseconds). The time is CPU time, so that a busy machine takes no samples from
 * the function. Another number for each keeps the compiler from merging the functions.
 */
#define SPINNER(name, number)                                                      \
	noinline static uint64_t name(uint64_t milliseconds)                       \
	{                                                                          \
		uint64_t end = spinner_used_ns() + milliseconds * 1000000u, x = 1; \
                                                                                   \
		while (spinner_used_ns() < end)                                    \
			SPIN_CHAIN_BY(x, 20000, number);                           \
		return x;                                                          \
	}
