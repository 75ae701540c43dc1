/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sleepers - many threads that sleep at the same time
 *
 * sleepers THREADS SLEEPS: each thread sleeps SLEEPS times for SLEEP_S; the threads begin one after
 * the other, as they are made, so they also wake one after the other. Prints `ready` once all of
 * them exist, and at the end the number of sleeps and their sum in ns, measured around each.
 * SLEEPS 0: they sleep until the end of standard input, and the program ends with them.
 */

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "shared/clock.h"

#define SLEEP_S     5
#define STACK_BYTES 16384

static unsigned long sleeps;
static _Atomic uint64_t slept_ns, slept;

static void *sleeper(void *nothing)
{
	(void)nothing;
	while (!sleeps)
		(void)pause();
	for (unsigned long i = 0; i < sleeps; i++) {
		const struct timespec length = {.tv_sec = SLEEP_S};
		const uint64_t begin = tm_clock_ns();

		(void)nanosleep(&length, NULL);
		slept_ns += tm_clock_ns() - begin;
		slept++;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long count = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	pthread_t *threads = calloc(count + 1, sizeof(*threads));
	pthread_attr_t attributes;

	if (!count || !threads || pthread_attr_init(&attributes) ||
	    pthread_attr_setstacksize(&attributes, STACK_BYTES))
		return 2;
	sleeps = strtoul(argv[2], NULL, 10);
	for (unsigned long i = 0; i < count; i++)
		if (pthread_create(&threads[i], &attributes, sleeper, NULL)) {
			(void)fprintf(stderr, "sleepers: only %lu threads can be made\n", i);
			return 1;
		}
	(void)printf("ready\n");
	(void)fflush(stdout);
	while (!sleeps && getchar() != EOF)
		;
	for (unsigned long i = 0; sleeps && i < count; i++)
		(void)pthread_join(threads[i], NULL);
	(void)printf("%" PRIu64 " %" PRIu64 "\n", slept, slept_ns);
	return 0;
}
