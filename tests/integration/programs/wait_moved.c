/* SPDX-License-Identifier: Apache-2.0 */
/* wait_moved - threads that are on another CPU after each wait */

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "wait_states.h"

#define MOVED 50u

struct moved {
	int from, to;
	int tid; /* 0: it is not ready */
	unsigned waits;
};

static struct {
	struct wait_sum sum;
	uint64_t moves; /* waits that ended on another CPU than the one before */
} now;

wait_inline unsigned current_cpu(void)
{
	unsigned cpu = 0;

	(void)wait_call(SYS_getcpu, (long)&cpu, 0, 0, 0);
	return cpu;
}

static noinline void wait_to_be_moved(const struct moved *moved)
{
	unsigned cpu = current_cpu(), before;
	uint64_t calls = 0, moves = 0;
	char byte;

	for (unsigned i = 0; i < moved->waits; i++) {
		uint64_t begin = wait_clock();

		(void)wait_must(wait_call(SYS_read, moved->from, (long)&byte, 1, 0), "a pipe");
		calls += wait_clock() - begin;
		before = cpu;
		cpu = current_cpu();
		moves += cpu != before;
	}
	wait_add_to(&now.sum.calls, calls);
	wait_add_to(&now.moves, moves);
}

static void *moved_thread(void *argument)
{
	struct moved *moved = argument;
	struct wait_time begin;

	wait_pin(0, 0);
	begin = wait_now();
	__atomic_store_n(&moved->tid, gettid(), __ATOMIC_RELEASE);
	wait_to_be_moved(moved);
	wait_add(&now.sum, &begin, moved->waits);
	return NULL;
}

/* Moves all of them on to CPU @index, and wakes them. */
static void move(const struct moved *moved, unsigned index)
{
	for (unsigned i = 0; i < MOVED; i++) {
		wait_pin(moved[i].tid, index);
		(void)wait_must(write(moved[i].to, "x", 1), "writing to a pipe");
	}
}

static void await(const struct moved *moved)
{
	while (!__atomic_load_n(&moved->tid, __ATOMIC_ACQUIRE))
		(void)wait_sleep(1000000);
}

/* @count waits in all, each about @ns long. */
int wait_moved(unsigned count, uint64_t ns)
{
	static struct moved moved[MOVED];
	pthread_t threads[MOVED];

	if (wait_cpus() < 2) {
		(void)fprintf(stderr, "wait_states: there is one CPU only\n");
		return 77;
	}
	for (unsigned i = 0; i < MOVED; i++) {
		int ends[2];

		(void)wait_must(pipe(ends), "making a pipe");
		moved[i] = (struct moved){ends[0], ends[1], 0, count / MOVED};
		(void)wait_must(-pthread_create(&threads[i], NULL, moved_thread, &moved[i]),
				"making a thread");
	}
	for (unsigned i = 0; i < MOVED; i++)
		await(&moved[i]);
	for (unsigned i = 1; i <= count / MOVED; i++) {
		(void)wait_sleep(ns);
		move(moved, i % 2);
	}
	for (unsigned i = 0; i < MOVED; i++)
		(void)pthread_join(threads[i], NULL);
	wait_print("wait_to_be_moved", "interruptible", &now.sum);
	(void)printf("moves %llu\n", (unsigned long long)now.moves);
	return 0;
}
