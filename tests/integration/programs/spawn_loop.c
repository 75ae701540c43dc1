/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawn_loop - starts a program again and again, as fast as one process can: spawn_loop SECONDS
 * PROGRAM
 */

#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

static double now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (double)at.tv_sec + (double)at.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	char true_path[] = "/bin/true";
	char *arguments[] = {argc > 2 ? argv[2] : true_path, NULL};
	char *environment[] = {NULL};
	double begin = now(), end = begin + (argc > 1 ? strtod(argv[1], NULL) : 1.0);
	unsigned long count = 0;

	while (now() < end) {
		pid_t pid;

		if (posix_spawn(&pid, arguments[0], NULL, NULL, arguments, environment) != 0)
			return 1;
		waitpid(pid, NULL, 0);
		count++;
	}
	printf("%.0f a second\n", (double)count / (now() - begin));
	return 0;
}
