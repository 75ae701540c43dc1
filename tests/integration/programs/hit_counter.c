/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hit_counter - counts the timer hits of a running tidemark by a tracepoint, and logs the counts
 * over time
 *
 * hit_counter COLLECTOR FILE [PROCESS]: COLLECTOR is the process id of a tidemark-collector. Every
 * ROUND_MS FILE gets a line `NANOSECONDS HITS SKIPPED`: the time since 1970; the hits so far in
 * tasks that are not idle, or in PROCESS alone; of the hits in all tasks those after which the
 * kernel did not run the sampling program. Prints `ready` after the first line, and runs until
 * the collector is gone; then FILE.processes gets what timer_hits_write writes.
 */

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/integration/programs/timer_hits.h"

#define ROUND_MS 20

static int fail(const char *what, int error)
{
	(void)fprintf(stderr, "hit_counter: %s: %s\n", what, strerror(error));
	return 1;
}

static int write_line(const struct timer_hits *timers, FILE *out)
{
	struct timespec now;
	__u64 hits, skipped;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	timer_hits_now(timers, &hits, &skipped);
	return fprintf(out, "%lld%09ld %llu %llu\n", (long long)now.tv_sec, now.tv_nsec, hits,
		       skipped) < 0 ||
	       fflush(out) != 0;
}

static int write_processes(struct timer_hits *timers, const char *path)
{
	char name[PATH_MAX];
	FILE *out;
	int failed;

	(void)snprintf(name, sizeof(name), "%s.processes", path);
	out = fopen(name, "we");
	if (!out)
		return -errno;
	failed = timer_hits_write(timers, out);
	return fclose(out) ? -errno : failed;
}

int main(int argc, char **argv)
{
	struct timer_hits *timers;
	struct pollfd ended;
	int over = 0, failed;
	FILE *out;

	if (argc < 3)
		return 2;
	ended = (struct pollfd){
		.fd = (int)syscall(SYS_pidfd_open, (pid_t)strtol(argv[1], NULL, 10), 0),
		.events = POLLIN,
	};
	out = fopen(argv[2], "we");
	if (ended.fd < 0 || !out)
		return fail("cannot begin", errno);
	timers = timer_hits_open(argv[1], argc > 3 ? (__u32)strtoul(argv[3], NULL, 10) : 0);
	if (!timers)
		return fail("no sampling program to count", errno);
	failed = write_line(timers, out);
	puts("ready");
	(void)fflush(stdout);
	while (!over && !failed) {
		over = poll(&ended, 1, ROUND_MS) > 0;
		failed = write_line(timers, out);
	}
	failed = failed || write_processes(timers, argv[2]);
	timer_hits_close(timers);
	return failed ? fail("cannot write", errno) : 0;
}
