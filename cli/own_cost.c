/* SPDX-License-Identifier: Apache-2.0 */
/* own_cost - the profiler's own CPU time and memory, and the host's idle time */

#include "cli/own_cost.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "shared/cleanup.h"

#define NS_PER_SECOND 1000000000ull
#define STATUS_BYTES  4096

uint64_t own_cost_cpu_ns(const struct rusage *usage)
{
	uint64_t seconds = (uint64_t)usage->ru_utime.tv_sec + (uint64_t)usage->ru_stime.tv_sec;
	uint64_t us = (uint64_t)usage->ru_utime.tv_usec + (uint64_t)usage->ru_stime.tv_usec;

	return seconds * NS_PER_SECOND + us * 1000;
}

uint64_t own_cost_own_cpu_ns(void)
{
	struct rusage usage = {0};

	(void)getrusage(RUSAGE_SELF, &usage);
	return own_cost_cpu_ns(&usage);
}

uint64_t own_cost_process_cpu_ns(pid_t pid)
{
	struct timespec used;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) < 0)
		return 0;
	return (uint64_t)used.tv_sec * NS_PER_SECOND + (uint64_t)used.tv_nsec;
}

uint64_t own_cost_peak_bytes(pid_t pid)
{
	_cleanup_(tm_closep) int fd = -1;
	char path[64] = "/proc/self/status", text[STATUS_BYTES];
	const char *line;
	ssize_t got;

	if (pid > 0)
		(void)snprintf(path, sizeof(path), "/proc/%d/status", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (got <= 0)
		return 0;
	text[got] = '\0';
	line = strstr(text, "\nVmHWM:");
	/* KiB, by proc(5) */
	return line ? strtoull(line + strlen("\nVmHWM:"), NULL, 10) * 1024u : 0;
}

int own_cost_parse_idle(const char *text, long ticks, uint64_t *ret_ns)
{
	unsigned long long idle, waiting;

	/* user, nice, system, idle, waiting for input or output: proc(5) */
	if (ticks <= 0 || sscanf(text, "cpu %*u %*u %*u %llu %llu", &idle, &waiting) != 2)
		return -EINVAL;
	*ret_ns = (idle + waiting) * (NS_PER_SECOND / (uint64_t)ticks);
	return 0;
}

uint64_t own_cost_idle_ns(void)
{
	_cleanup_(tm_closep) int fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	char text[STATUS_BYTES];
	ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	uint64_t ns = 0;

	text[got > 0 ? got : 0] = '\0';
	return own_cost_parse_idle(text, sysconf(_SC_CLK_TCK), &ns) == 0 ? ns : 0;
}
