/* SPDX-License-Identifier: Apache-2.0 */
/* ping_pong - two processes on one CPU that wake each other as fast as they can
 *
 * usage: ping_pong CPU. Writes a line every 20 ms: CLOCK_MONOTONIC in ns, context switches so far.
 */

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "shared/clock.h"

#define LINE_NS 20000000u
#define BATCH   64u /* rounds between two looks at the clock */

static void echo(int from, int to)
{
	char byte;

	while (read(from, &byte, 1) == 1 && write(to, &byte, 1) == 1)
		;
	exit(0);
}

int main(int argc, char **argv)
{
	int there[2], back[2];
	uint64_t switches = 0, next = tm_clock_ns();
	cpu_set_t cpus;
	char byte = 0;

	CPU_ZERO(&cpus);
	if (argc != 2 || pipe(there) < 0 || pipe(back) < 0)
		return 2;
	CPU_SET(strtoul(argv[1], NULL, 10), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) < 0)
		return 2;
	if (fork() == 0) {
		(void)close(there[1]);
		echo(there[0], back[1]);
	}
	(void)close(there[0]);
	while (write(there[1], &byte, 1) == 1 && read(back[0], &byte, 1) == 1) {
		switches += 2;
		if (switches % (2 * BATCH) || tm_clock_ns() < next)
			continue;
		next = tm_clock_ns() + LINE_NS;
		if (printf("%" PRIu64 " %" PRIu64 "\n", tm_clock_ns(), switches) < 0 ||
		    fflush(stdout) != 0)
			return 0;
	}
	return 1;
}
