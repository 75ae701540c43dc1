/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sleeper - sleeps for a long time in two threads while a third one runs, and says how long
 *
 * sleeper SECONDS. The first thread sleeps shortly several times, then for SECONDS, always in one
 * function. The thread `dozer` sleeps once, beyond the end of the program; the thread `spinner`
 * runs until then. Prints what the first thread slept and how long the others lived, in ns.
 */

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "noinline.h"

/* Long enough for its unwind table to come. */
#define SHORT_NS     100000000
#define SHORT_SLEEPS 12

static uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Return: ns slept. */
noinline static uint64_t take_nap(time_t seconds, long ns)
{
	const struct timespec duration = {.tv_sec = seconds, .tv_nsec = ns};
	uint64_t from = clock_ns();

	if (clock_nanosleep(CLOCK_MONOTONIC, 0, &duration, NULL) != 0)
		abort();
	return clock_ns() - from;
}

static void *doze(void *context)
{
	for (;;)
		pause();
	return context;
}

static void *spin(void *context)
{
	while (clock_ns() > 0)
		;
	return context;
}

static void begin(const char *name, void *(*run)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, NULL) != 0 || pthread_setname_np(thread, name) != 0)
		abort();
}

int main(int argc, char **argv)
{
	uint64_t slept = 0, from = clock_ns();

	if (argc != 2)
		return 2;
	begin("dozer", doze);
	begin("spinner", spin);
	for (int i = 0; i < SHORT_SLEEPS; i++)
		slept += take_nap(0, SHORT_NS);
	slept += take_nap(strtol(argv[1], NULL, 10), 0);
	printf("%llu %llu\n", (unsigned long long)slept, (unsigned long long)(clock_ns() - from));
	return 0;
}
