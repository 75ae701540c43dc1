/* SPDX-License-Identifier: Apache-2.0 */
/* wait_short - one thread that sleeps long, beside one that waits very often and shortly */

#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "wait_states.h"

#define ANSWER_NS 10000u

/* A wait for a thread on the same CPU leaves it each time. A sleep of some microseconds does not:
 * where a timer is slow to set, it has run out before the thread would have left. */
static struct {
	unsigned count;
	int there[2], back[2]; /* pipes */
	struct wait_sum sum;
} now;

wait_inline void read_byte(int fd)
{
	char byte;

	(void)wait_must(wait_call(SYS_read, fd, (long)&byte, 1, 0), "reading a pipe");
}

wait_inline void write_byte(int fd)
{
	(void)wait_must(wait_call(SYS_write, fd, (long)"x", 1, 0), "writing to a pipe");
}

static noinline void wait_shortly(void)
{
	for (unsigned i = 0; i < now.count; i++) {
		uint64_t begin = wait_clock();

		write_byte(now.there[1]);
		read_byte(now.back[0]);
		now.sum.calls += wait_clock() - begin;
	}
}

static void *short_waiter(void *argument)
{
	struct wait_time begin;

	(void)prctl(PR_SET_NAME, "short_waiter", 0, 0, 0);
	wait_pin(0, 0);
	begin = wait_now();
	wait_shortly();
	wait_add(&now.sum, &begin, now.count);
	return argument;
}

static void *answerer(void *argument)
{
	wait_pin(0, 0);
	for (unsigned i = 0; i < now.count; i++) {
		read_byte(now.there[0]);
		wait_busy(ANSWER_NS);
		write_byte(now.back[1]);
	}
	return argument;
}

static noinline void sleep_long(struct wait_sum *sum, uint64_t ns)
{
	struct wait_time begin = wait_now();

	(void)wait_must(wait_sleep(ns), "sleeping");
	sum->calls = wait_clock() - begin.clock;
	wait_add(sum, &begin, 1);
	sum->asleep = ns;
}

/* One sleep of @ns, and @count of at least 10 us in another thread. */
int wait_long_and_short(unsigned count, uint64_t ns)
{
	struct wait_sum whole = {};
	pthread_t threads[2];

	now.count = count;
	(void)wait_must(pipe(now.there), "making a pipe");
	(void)wait_must(pipe(now.back), "making a pipe");
	(void)wait_must(-pthread_create(&threads[0], NULL, short_waiter, NULL), "making a thread");
	(void)wait_must(-pthread_create(&threads[1], NULL, answerer, NULL), "making a thread");
	sleep_long(&whole, ns);
	for (unsigned i = 0; i < 2; i++)
		(void)pthread_join(threads[i], NULL);
	wait_print("sleep_long", "interruptible", &whole);
	wait_print("wait_shortly", "interruptible", &now.sum);
	return 0;
}
