/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sleeps - sleeps in a function of its own, and prints how long that was
 *
 * sleeps COUNT MS: prints `TM-SLEPT NS`, measured around each sleep.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NS_PER_SECOND 1000000000ull
#define NS_PER_MS     1000000ull

static uint64_t now(void)
{
	struct timespec time;

	(void)clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * NS_PER_SECOND + (uint64_t)time.tv_nsec;
}

__attribute__((noinline)) static uint64_t sleep_here(unsigned long ms)
{
	const uint64_t ns = ms * NS_PER_MS, begin = now();
	const struct timespec length = {(time_t)(ns / NS_PER_SECOND), (long)(ns % NS_PER_SECOND)};

	(void)nanosleep(&length, NULL);
	return now() - begin;
}

int main(int argc, char **argv)
{
	unsigned long count = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	uint64_t slept = 0;

	if (!count)
		return 2;
	for (unsigned long i = 0; i < count; i++)
		slept += sleep_here(strtoul(argv[2], NULL, 10));
	(void)printf("TM-SLEPT %" PRIu64 "\n", slept);
	return 0;
}
