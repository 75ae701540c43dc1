/* SPDX-License-Identifier: Apache-2.0 */
/* wait_timers - threads that sleep for a time: many, and within bounds */

#include <stdio.h>

#include "wait_states.h"

#define SLEEPS        5u
#define SHORTER       20u
#define LONGER        10u
#define BOUND_SHORTER 4u /* tests/integration/off_cpu/bounds.sh */
#define BOUND_LONGER  5u

static struct {
	unsigned count;
	uint64_t ns;
	struct wait_sum sum;
} now;

/* Return: ns in the call. */
wait_inline uint64_t sleep_once(uint64_t ns)
{
	uint64_t begin = wait_clock();

	(void)wait_must(wait_sleep(ns), "sleeping");
	return wait_clock() - begin;
}

static noinline void sleep_often(void)
{
	uint64_t calls = 0;

	for (unsigned i = 0; i < SLEEPS; i++)
		calls += sleep_once(now.ns);
	wait_add_to(&now.sum.calls, calls);
}

static void *sleeping_thread(void *argument)
{
	struct wait_time begin = wait_now();

	sleep_often();
	wait_add(&now.sum, &begin, SLEEPS);
	return argument;
}

/* @count threads. */
int wait_asleep(unsigned count, uint64_t ns)
{
	now.ns = ns;
	now.sum = (struct wait_sum){};
	wait_threads(count, sleeping_thread, NULL, 0);
	now.sum.asleep = now.sum.count * ns;
	wait_print("sleep_often", "interruptible", &now.sum);
	return 0;
}

/* Prints: bounded FUNCTION NS, then COUNT CALLS-NS of those below, within and above the bounds. */
wait_inline void sleep_bounded(const char *function, uint64_t ns)
{
	struct wait_sum classes[3] = {};

	for (unsigned i = 0; i < now.count; i++) {
		uint64_t took = sleep_once(ns);
		unsigned class = took < now.ns / BOUND_SHORTER   ? 0u
				 : took <= now.ns * BOUND_LONGER ? 1u
								 : 2u;

		classes[class].calls += took;
		classes[class].count++;
	}
	(void)printf("bounded %s %llu", function, (unsigned long long)ns);
	for (unsigned i = 0; i < 3; i++)
		(void)printf(" %llu %llu", (unsigned long long)classes[i].count,
			     (unsigned long long)classes[i].calls);
	(void)puts("");
	(void)fflush(stdout);
}

static noinline void sleep_too_shortly(void)
{
	sleep_bounded("sleep_too_shortly", now.ns / SHORTER);
}

static noinline void sleep_within(void)
{
	sleep_bounded("sleep_within", now.ns);
}

static noinline void sleep_too_long(void)
{
	sleep_bounded("sleep_too_long", now.ns * LONGER);
}

/* Sleeps of @ns, and of a length on either side of the bounds that the test sets around that. */
int wait_bounded(unsigned count, uint64_t ns)
{
	now.count = count;
	now.ns = ns;
	sleep_too_shortly();
	sleep_within();
	sleep_too_long();
	return 0;
}
