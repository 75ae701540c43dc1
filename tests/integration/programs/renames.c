/* SPDX-License-Identifier: Apache-2.0 */
/*
 * renames - a process and its threads that change their names while they run
 *
 * renames MILLISECONDS ROUNDS: the first thread calls itself first-0, first-1, ... (prctl), a
 * second one is called other-0, other-1, ... by the first (pthread_setname_np). Each name has that
 * much CPU time in the function spin_NUMBER of its number's last digit.
 */

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include "noinline.h"

static unsigned long milliseconds;
static pthread_barrier_t turn;

static uint64_t used_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The number keeps the compiler from making one function of them all. */
#define SPINNER(number)                                                        \
	noinline static uint64_t spin_##number(void)                           \
	{                                                                      \
		uint64_t end = used_ns() + milliseconds * 1000000u, x = 1;     \
                                                                               \
		while (used_ns() < end) {                                      \
			for (unsigned i = 0; i < 20000; i++) {                 \
				x = x * 6364136223846793005u + 2 * number + 1; \
				__asm__ __volatile__("" : "+r"(x));            \
			}                                                      \
		}                                                              \
		return x;                                                      \
	}
SPINNER(0)
SPINNER(1)
SPINNER(2)
SPINNER(3)
static uint64_t (*const spinners[])(void) = {spin_0, spin_1, spin_2, spin_3};

static void *run_other(void *rounds)
{
	for (unsigned long round = 0; round < *(const unsigned long *)rounds; round++) {
		pthread_barrier_wait(&turn); /* named */
		spinners[round & 3]();
		pthread_barrier_wait(&turn);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long rounds;
	pthread_t other;
	char name[32]; /* the kernel takes 15 of them */

	if (argc != 3)
		return 2;
	milliseconds = strtoul(argv[1], NULL, 10);
	rounds = strtoul(argv[2], NULL, 10);
	if (pthread_barrier_init(&turn, NULL, 2) != 0 ||
	    pthread_create(&other, NULL, run_other, &rounds) != 0)
		return 1;
	for (unsigned long round = 0; round < rounds; round++) {
		(void)snprintf(name, sizeof(name), "other-%lu", round);
		if (pthread_setname_np(other, name) != 0)
			return 1;
		(void)snprintf(name, sizeof(name), "first-%lu", round);
		if (prctl(PR_SET_NAME, name) != 0)
			return 1;
		pthread_barrier_wait(&turn);
		spinners[round & 3]();
		pthread_barrier_wait(&turn);
	}
	return pthread_join(other, NULL);
}
