/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * clock - reads CLOCK_MONOTONIC, the clock of every ktime
 *
 * It is the clock of bpf_ktime_get_ns(), so both may be compared. Async-signal-safe; never fails.
 */

#include <stdint.h>
#include <time.h>

static inline uint64_t tm_clock_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline uint64_t tm_clock_ms(void)
{
	return tm_clock_ns() / 1000000;
}
