/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * clock - reads CLOCK_MONOTONIC, the clock of every ktime, and CPU time
 *
 * It is the clock of bpf_ktime_get_ns(), so both may be compared. Async-signal-safe; never fails.
 */

#include <stdint.h>
#include <sys/types.h>
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

/* CPU time so far of the process @pid, without its children; 0: this one. 0 if it is gone. Unlike
 * clock_getcpuclockid() it makes no system call that a filter would have to allow. */
static inline uint64_t tm_clock_cpu_ns(pid_t pid)
{
	const clockid_t of_scheduler = 2; /* CPUCLOCK_SCHED, include/linux/posix-timers.h */
	clockid_t clock = pid ? (~(clockid_t)pid << 3) | of_scheduler : CLOCK_PROCESS_CPUTIME_ID;
	struct timespec used;

	if (clock_gettime(clock, &used) < 0)
		return 0;
	return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}
