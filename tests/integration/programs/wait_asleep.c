/* SPDX-License-Identifier: Apache-2.0 */
/* wait_asleep - threads that sleep until something happens: pipes, a futex, epoll */

#include <linux/futex.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "wait_states.h"

#define CONVOY 4u

/* Both threads of a pair of pipes: one asks, the other answers. */
struct side {
	int from, to;
	bool answers;
	uint64_t *asked, *answered; /* when the one, and when the other thread wrote */
	struct wait_sum sum;
};

static struct {
	unsigned count;
	uint64_t ns;
	uint32_t locked; /* 1: held; 2: held, and somebody waits */
	struct wait_sum sum;
} now;

wait_inline void read_from(struct side *side, const uint64_t *written)
{
	uint64_t begin = wait_clock(), end;
	char byte;

	(void)wait_must(wait_call(SYS_read, side->from, (long)&byte, 1, 0), "reading a pipe");
	side->sum.calls += wait_clock() - begin;
	end = __atomic_load_n(written, __ATOMIC_ACQUIRE);
	if (end > begin)
		side->sum.asleep += end - begin;
	side->sum.count++;
}

wait_inline void write_to(const struct side *side, uint64_t *ret_written)
{
	__atomic_store_n(ret_written, wait_clock(), __ATOMIC_RELEASE);
	(void)wait_must(wait_call(SYS_write, side->to, (long)"x", 1, 0), "writing to a pipe");
}

static noinline void ask_pipe(struct side *side)
{
	for (unsigned i = 0; i < now.count; i++) {
		write_to(side, side->asked);
		read_from(side, side->answered);
		wait_busy(now.ns / 2);
	}
}

static noinline void answer_pipe(struct side *side)
{
	for (unsigned i = 0; i < now.count; i++) {
		read_from(side, side->asked);
		wait_busy(now.ns);
		write_to(side, side->answered);
	}
}

static void *pipe_thread(void *argument)
{
	struct side *side = argument;
	struct wait_time begin;

	wait_pin(0, side->answers);
	begin = wait_now();
	if (side->answers)
		answer_pipe(side);
	else
		ask_pipe(side);
	wait_add(&side->sum, &begin, 0);
	return NULL;
}

/* Two threads on two CPUs. The one that answers is busy for @ns each time, the other for half. */
int wait_on_pipes(unsigned count, uint64_t ns)
{
	uint64_t asked = 0, answered = 0;
	int there[2], back[2];
	struct side sides[2] = {{.asked = &asked, .answered = &answered},
				{.asked = &asked, .answered = &answered, .answers = true}};

	now.count = count;
	now.ns = ns;
	(void)wait_must(pipe(there), "making a pipe");
	(void)wait_must(pipe(back), "making a pipe");
	sides[0].from = back[0];
	sides[0].to = there[1];
	sides[1].from = there[0];
	sides[1].to = back[1];
	wait_threads(2, pipe_thread, sides, sizeof(sides[0]));
	wait_print("ask_pipe", "interruptible", &sides[0].sum);
	wait_print("answer_pipe", "interruptible", &sides[1].sum);
	return 0;
}

/* Return: ns in the calls. */
wait_inline uint64_t lock_futex(void)
{
	uint32_t free = 0;
	uint64_t begin;

	if (__atomic_compare_exchange_n(&now.locked, &free, 1, 0, __ATOMIC_ACQUIRE,
					__ATOMIC_RELAXED))
		return 0;
	begin = wait_clock();
	while (__atomic_exchange_n(&now.locked, 2, __ATOMIC_ACQUIRE))
		(void)wait_call(SYS_futex, (long)&now.locked, FUTEX_WAIT_PRIVATE, 2, 0);
	return wait_clock() - begin;
}

wait_inline void unlock_futex(void)
{
	if (__atomic_exchange_n(&now.locked, 0, __ATOMIC_RELEASE) == 2)
		(void)wait_call(SYS_futex, (long)&now.locked, FUTEX_WAKE_PRIVATE, 1, 0);
}

static noinline void join_convoy(void)
{
	uint64_t calls = 0;

	for (unsigned i = 0; i < now.count; i++) {
		calls += lock_futex();
		wait_busy(now.ns);
		unlock_futex();
		wait_busy(now.ns / 4);
	}
	wait_add_to(&now.sum.calls, calls);
}

static void *convoy_thread(void *argument)
{
	struct wait_time begin = wait_now();

	join_convoy();
	wait_add(&now.sum, &begin, now.count);
	return argument;
}

/* Threads that are busy under one lock, @count times for @ns each. */
int wait_on_futex(unsigned count, uint64_t ns)
{
	now.count = count;
	now.ns = ns;
	now.sum = (struct wait_sum){};
	wait_threads(CONVOY, convoy_thread, NULL, 0);
	wait_print("join_convoy", "interruptible", &now.sum);
	return 0;
}

/* Sends requests in pairs, so that the server finds work, finds none, and runs into its limit. */
static void *send_requests(void *argument)
{
	int fd = *(int *)argument;

	for (unsigned i = 0; i < now.count; i++) {
		(void)wait_must(wait_call(SYS_write, fd, (long)"x", 1, 0), "a request");
		wait_busy(now.ns / 2);
		(void)wait_must(wait_call(SYS_write, fd, (long)"x", 1, 0), "a request");
		(void)wait_sleep(i % 4 ? now.ns : 8 * now.ns);
	}
	(void)close(fd);
	return NULL;
}

static noinline void serve_epoll(int epoll, int fd, struct wait_sum *sum)
{
	int limit = (int)(4 * now.ns / 1000000u);
	struct epoll_event event;
	char byte;
	long r;

	do {
		uint64_t begin = wait_clock();

		r = wait_must(wait_call(SYS_epoll_wait, epoll, (long)&event, 1, limit), "epoll");
		sum->calls += wait_clock() - begin;
		sum->count++;
		if (r) {
			r = wait_call(SYS_read, fd, (long)&byte, 1, 0);
			wait_busy(now.ns / 4);
			r = r > 0 ? 0 : 1;
		}
	} while (!r);
}

int wait_on_epoll(unsigned count, uint64_t ns)
{
	struct epoll_event event = {.events = EPOLLIN};
	int epoll = epoll_create1(0), requests[2];
	struct wait_sum sum = {};
	struct wait_time begin;
	pthread_t client;

	now.count = count;
	now.ns = ns;
	(void)wait_must(pipe(requests), "making a pipe");
	(void)wait_must(epoll_ctl(epoll, EPOLL_CTL_ADD, requests[0], &event), "epoll_ctl");
	(void)wait_must(-pthread_create(&client, NULL, send_requests, &requests[1]),
			"making a thread");
	begin = wait_now();
	serve_epoll(epoll, requests[0], &sum);
	wait_add(&sum, &begin, 0);
	(void)pthread_join(client, NULL);
	wait_print("serve_epoll", "interruptible", &sum);
	return 0;
}
