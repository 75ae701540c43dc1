/* SPDX-License-Identifier: Apache-2.0 */
/* wait_runnable - threads that could run but do not: preempted, yielding; and stopped ones */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wait_states.h"

#define YIELDERS 2u

static struct {
	unsigned count;
	uint64_t ns;
	struct wait_sum sum;
} now;

static noinline void spin_on_cpu(void)
{
	wait_busy(now.ns);
}

static void *spinner(void *argument)
{
	struct wait_time begin;

	wait_pin(0, 0);
	begin = wait_now();
	spin_on_cpu();
	wait_add(&now.sum, &begin, 1);
	return argument;
}

/* @count threads on one CPU, for @ns. */
int wait_preempted(unsigned count, uint64_t ns)
{
	now.ns = ns;
	now.sum = (struct wait_sum){};
	wait_threads(count, spinner, NULL, 0);
	wait_print("spin_on_cpu", "preempted", &now.sum);
	return 0;
}

/* Return: ns in the call. */
static noinline uint64_t give_up_cpu(void)
{
	uint64_t begin = wait_clock();

	(void)wait_call(SYS_sched_yield, 0, 0, 0, 0);
	return wait_clock() - begin;
}

static noinline void run_and_yield(void)
{
	uint64_t calls = 0;

	for (unsigned i = 0; i < now.count; i++) {
		wait_busy(now.ns);
		calls += give_up_cpu();
	}
	wait_add_to(&now.sum.calls, calls);
}

static void *yielder(void *argument)
{
	struct wait_time begin;

	wait_pin(0, 0);
	begin = wait_now();
	run_and_yield();
	wait_add(&now.sum, &begin, now.count);
	return argument;
}

/* Threads on one CPU that run for @ns each, @count times. */
int wait_yielding(unsigned count, uint64_t ns)
{
	now.count = count;
	now.ns = ns;
	now.sum = (struct wait_sum){};
	wait_threads(YIELDERS, yielder, NULL, 0);
	wait_print("run_and_yield", "yielded|preempted", &now.sum);
	now.sum.off_cpu = now.sum.queued = 0;
	wait_print("give_up_cpu", "yielded", &now.sum);
	return 0;
}

static noinline void stop_here(long self)
{
	(void)wait_call(SYS_kill, self, SIGSTOP, 0, 0);
}

static int stop_often(void)
{
	struct wait_time begin = wait_now();
	struct wait_sum sum = {};

	for (unsigned i = 0; i < now.count; i++) {
		uint64_t from = wait_clock();

		stop_here(getpid());
		sum.calls += wait_clock() - from;
	}
	wait_add(&sum, &begin, now.count);
	sum.asleep = now.count * now.ns;
	wait_print("stop_here", "stopped", &sum);
	return 0;
}

/* A child that stops itself @count times, each time for @ns. */
int wait_stopped(unsigned count, uint64_t ns)
{
	pid_t child;
	int status;

	now.count = count;
	now.ns = ns;
	(void)fflush(stdout);
	child = (pid_t)wait_must(fork(), "fork");
	if (child == 0)
		_exit(stop_often());
	for (;;) {
		(void)wait_must(waitpid(child, &status, WUNTRACED), "waiting");
		if (!WIFSTOPPED(status))
			return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
		(void)wait_sleep(ns);
		(void)kill(child, SIGCONT);
	}
}
