/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * clock - reads CLOCK_MONOTONIC, the clock of every ktime, and CPU time
 *
 * The former is the clock of bpf_ktime_get_ns(), so both may be compared. Async-signal-safe; never
 * fails.
 */

#include <stdint.h>
#include <time.h>

/* Return: ns by @clock, such as CLOCK_PROCESS_CPUTIME_ID; 0: there is no such clock. */
static inline uint64_t tm_clock_read(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now) < 0)
		return 0;
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline uint64_t tm_clock_ns(void)
{
	return tm_clock_read(CLOCK_MONOTONIC);
}

static inline uint64_t tm_clock_ms(void)
{
	return tm_clock_ns() / 1000000;
}
