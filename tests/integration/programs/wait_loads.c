/* SPDX-License-Identifier: Apache-2.0 */
/* wait_loads - sleepers beside a process that switches fast, and threads of different habits */

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wait_states.h"

#define SLEEPERS 20u
#define LOADS    6u
#define SHORT_NS 2000000u

/* Shared with the process beside. */
struct beside {
	bool over;
	uint64_t rounds;
};

struct bounce {
	struct beside *beside;
	int from, to;
};

static struct {
	unsigned count;
	uint64_t ns;
	uint64_t end; /* of CLOCK_MONOTONIC */
	struct wait_sum sum;
} now;

static noinline void bounce(const struct bounce *side)
{
	char byte;

	while (wait_call(SYS_read, side->from, (long)&byte, 1, 0) == 1) {
		if (__atomic_load_n(&side->beside->over, __ATOMIC_RELAXED))
			break;
		(void)wait_must(wait_call(SYS_write, side->to, (long)"x", 1, 0), "a pipe");
		wait_add_to(&side->beside->rounds, 1);
	}
	(void)close(side->to);
}

static void *bouncing_thread(void *argument)
{
	wait_pin(0, 0);
	bounce(argument);
	return NULL;
}

/* Two threads of one CPU that wake each other, until @beside is over. */
static int switch_fast(struct beside *beside)
{
	struct bounce sides[2] = {{.beside = beside}, {.beside = beside}};
	int there[2], back[2];

	(void)wait_must(pipe(there), "making a pipe");
	(void)wait_must(pipe(back), "making a pipe");
	sides[0].from = back[0];
	sides[0].to = there[1];
	sides[1].from = there[0];
	sides[1].to = back[1];
	(void)wait_must(write(there[1], "x", 1), "writing to a pipe");
	wait_threads(2, bouncing_thread, sides, sizeof(sides[0]));
	return 0;
}

static noinline void stand_by(void)
{
	uint64_t calls = 0;

	for (unsigned i = 0; i < now.count; i++) {
		uint64_t begin = wait_clock();

		(void)wait_must(wait_sleep(now.ns), "sleeping");
		calls += wait_clock() - begin;
	}
	wait_add_to(&now.sum.calls, calls);
}

static void *sleeper(void *argument)
{
	struct wait_time begin = wait_now();

	stand_by();
	wait_add(&now.sum, &begin, now.count);
	return argument;
}

/* Threads that sleep @count times for @ns each beside a process that switches fast. */
int wait_beside(unsigned count, uint64_t ns)
{
	struct beside *beside = mmap(NULL, sizeof(*beside), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t begin;
	pid_t child;

	if (beside == MAP_FAILED)
		return 1;
	now.count = count;
	now.ns = ns;
	(void)fflush(stdout);
	child = (pid_t)wait_must(fork(), "fork");
	if (child == 0)
		_exit(switch_fast(beside));
	begin = wait_clock();
	wait_threads(SLEEPERS, sleeper, NULL, 0);
	begin = wait_clock() - begin;
	__atomic_store_n(&beside->over, true, __ATOMIC_RELAXED);
	(void)waitpid(child, NULL, 0);
	now.sum.asleep = now.sum.count * ns;
	wait_print("stand_by", "interruptible", &now.sum);
	(void)printf("switches %llu %llu\n", (unsigned long long)beside->rounds,
		     (unsigned long long)begin);
	return 0;
}

static void run_on(void)
{
	wait_busy(SHORT_NS);
}

static void sleep_on(void)
{
	(void)wait_sleep(now.ns);
}

static void run_and_sleep(void)
{
	wait_busy(now.ns);
	(void)wait_sleep(now.ns);
}

static void run_and_yield(void)
{
	wait_busy(SHORT_NS);
	(void)wait_call(SYS_sched_yield, 0, 0, 0, 0);
}

static void sleep_shortly(void)
{
	(void)wait_sleep(SHORT_NS);
}

static void sleep_to_the_end(void)
{
	uint64_t clock = wait_clock();

	if (clock < now.end)
		(void)wait_sleep(now.end - clock);
}

static const struct load {
	const char *name;
	void (*step)(void);
} loads[LOADS] = {
	{"run_on", run_on},
	{"sleep_on", sleep_on},
	{"run_and_sleep", run_and_sleep},
	{"run_and_yield", run_and_yield},
	{"sleep_shortly", sleep_shortly},
	{"sleep_to_end", sleep_to_the_end},
};

/* What it prints of itself: thread TID NAME LIFETIME-NS CPU-NS QUEUED-NS. */
static void *loaded_thread(void *argument)
{
	const struct load *load = argument;
	struct wait_time begin = wait_now(), end;

	(void)prctl(PR_SET_NAME, load->name, 0, 0, 0);
	while (wait_clock() < now.end)
		load->step();
	end = wait_now();
	(void)printf("thread %d %s %llu %llu %llu\n", gettid(), load->name,
		     (unsigned long long)(end.clock - begin.clock),
		     (unsigned long long)(end.cpu - begin.cpu), (unsigned long long)end.queued);
	return NULL;
}

/* Threads of different habits, two of each, for @count times @ns. */
int wait_mixed(unsigned count, uint64_t ns)
{
	struct load all[2 * LOADS];

	now.ns = ns;
	now.end = wait_clock() + count * ns;
	for (unsigned i = 0; i < 2 * LOADS; i++)
		all[i] = loads[i % LOADS];
	wait_threads(2 * LOADS, loaded_thread, all, sizeof(all[0]));
	(void)fflush(stdout);
	return 0;
}
