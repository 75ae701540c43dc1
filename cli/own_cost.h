/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * own_cost - the profiler's own CPU time and memory, and the host's idle time
 */

#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/* User and system time. */
uint64_t own_cost_cpu_ns(const struct rusage *usage);
/* Of this process alone, until now. */
uint64_t own_cost_own_cpu_ns(void);
/* Of one of our own children alone, until now. 0: not known. */
uint64_t own_cost_process_cpu_ns(pid_t pid);
/* Peak resident bytes since its exec; @pid: a child of ours, or 0: ourselves. 0: not known. */
uint64_t own_cost_peak_bytes(pid_t pid);
/* Since boot, of all CPUs together: time in which they had nothing to run. 0: not known. */
uint64_t own_cost_idle_ns(void);
/* The same from the text of /proc/stat. @ticks: of its numbers a second. Return: 0, -EINVAL. */
int own_cost_parse_idle(const char *text, long ticks, uint64_t *ret_ns);
