/* SPDX-License-Identifier: Apache-2.0 */
/*
 * births - starts numbered programs, so many a second, each of a short life
 *
 * births PREFIX COUNT A_SECOND MILLISECONDS [LANES]: executes PREFIXnnnnnn MILLISECONDS, nnnnnn
 * from 1 to COUNT, LANES of them at a time at most, and prints how many a second it became.
 */

#include <errno.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

static uint64_t now_ns(void)
{
	struct timespec at;

	(void)clock_gettime(CLOCK_MONOTONIC, &at);
	return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

static void wait_until(uint64_t ns)
{
	const struct timespec at = {.tv_sec = (time_t)(ns / 1000000000u),
				    .tv_nsec = (long)(ns % 1000000000u)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
}

static int give_birth(const char *prefix, unsigned long number, char *milliseconds)
{
	char path[512];
	char *arguments[] = {path, milliseconds, NULL};
	char *environment[] = {NULL};
	pid_t pid;

	(void)snprintf(path, sizeof(path), "%s%06lu", prefix, number);
	return posix_spawn(&pid, path, NULL, NULL, arguments, environment);
}

int main(int argc, char **argv)
{
	unsigned long count, rate, lanes, alive = 0;
	uint64_t begin = now_ns();

	if (argc < 5)
		return 2;
	count = strtoul(argv[2], NULL, 10);
	rate = strtoul(argv[3], NULL, 10);
	lanes = argc > 5 ? strtoul(argv[5], NULL, 10) : 16;
	for (unsigned long number = 1; number <= count; number++) {
		wait_until(begin + (number - 1) * (1000000000u / rate));
		while (alive > 0 && waitpid(-1, NULL, alive >= lanes ? 0 : WNOHANG) > 0)
			alive--;
		if (give_birth(argv[1], number, argv[4]) != 0)
			return 1;
		alive++;
	}
	while (waitpid(-1, NULL, 0) > 0)
		;
	printf("%.0f a second\n", (double)count / ((double)(now_ns() - begin) / 1e9));
	return 0;
}
