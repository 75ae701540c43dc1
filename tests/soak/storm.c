/* SPDX-License-Identifier: Apache-2.0 */
/*
 * storm - so many process lives from several processes, by vfork and exec and by fork alone
 *
 * storm LANES COUNT A_SECOND PROGRAM MIB: says "ready", waits for a line, makes COUNT lives (as fast
 * as it can when A_SECOND is 0), says "tenth 1" .. "tenth 10" on the way and then "done" with their
 * rate, waits for a line and ends. Of each 200 lives of a lane 99 are PROGRAM, 100 a fork that
 * ends at once, and one PROGRAM MIB, which has memory to give back after its EXIT. MIB 0: all PROGRAM.
 */

#include <errno.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LANES_MAX   64
#define HEAVY_EVERY 200
#define LOOK_NS     5000000u

struct plan {
	unsigned long lanes, count, rate;
	char *program, *mib;
	_Atomic uint64_t *made; /* by all lanes */
};

static uint64_t now_ns(void)
{
	struct timespec at;

	(void)clock_gettime(CLOCK_MONOTONIC, &at);
	return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

static void wait_until(uint64_t ns)
{
	const struct timespec at = {.tv_sec = (time_t)(ns / 1000000000u),
				    .tv_nsec = (long)(ns % 1000000000u)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
}

static int one_life(const struct plan *plan, unsigned long number)
{
	bool mixed = plan->mib[0] != '0';
	char *arguments[] = {plan->program, mixed && number % HEAVY_EVERY == 0 ? plan->mib : NULL,
			     NULL};
	char *environment[] = {NULL};
	pid_t pid;

	if (mixed && (number & 1)) {
		pid = fork();
		if (pid == 0)
			_exit(0);
		if (pid < 0)
			return -errno;
	} else if (posix_spawn(&pid, plan->program, NULL, NULL, arguments, environment) != 0) {
		return -EAGAIN;
	}
	return waitpid(pid, NULL, 0) == pid ? 0 : -errno;
}

static int lane(const struct plan *plan, unsigned long count)
{
	const uint64_t begin = now_ns();
	const uint64_t each = plan->rate ? 1000000000u * plan->lanes / plan->rate : 0;

	for (unsigned long i = 0; i < count; i++) {
		if (each)
			wait_until(begin + i * each);
		if (one_life(plan, i) < 0)
			return 1;
		/* relaxed: a number to look at */
		(void)atomic_fetch_add_explicit(plan->made, 1, memory_order_relaxed);
	}
	return 0;
}

/* Says how far the lanes are until all have ended. Return: 0, or 1 when one of them failed. */
static int watch(const struct plan *plan)
{
	uint64_t count = plan->count / plan->lanes * plan->lanes, made;
	unsigned tenth = 0;
	int status, wrong = 0;
	pid_t ended;

	do {
		ended = waitpid(-1, &status, WNOHANG);
		wrong |= ended > 0 && status != 0;
		if (ended == 0)
			wait_until(now_ns() + LOOK_NS);
		/* relaxed: a number to look at */
		made = atomic_load_explicit(plan->made, memory_order_relaxed);
		while (tenth < 10 && made >= count * (tenth + 1) / 10)
			printf("tenth %u\n", ++tenth);
	} while (ended >= 0);
	return wrong;
}

static int storm(const struct plan *plan)
{
	uint64_t begin = now_ns();

	for (unsigned long i = 0; i < plan->lanes; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(lane(plan, plan->count / plan->lanes));
		if (pid < 0)
			return 1;
	}
	if (watch(plan) != 0)
		return 1;
	printf("done %.0f\n", (double)plan->count / ((double)(now_ns() - begin) / 1e9));
	return 0;
}

int main(int argc, char **argv)
{
	struct plan plan;
	char line[16];

	if (argc != 6)
		return 2;
	plan = (struct plan){.lanes = strtoul(argv[1], NULL, 10),
			     .count = strtoul(argv[2], NULL, 10),
			     .rate = strtoul(argv[3], NULL, 10),
			     .program = argv[4],
			     .mib = argv[5]};
	plan.made = mmap(NULL, sizeof(*plan.made), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (plan.made == MAP_FAILED || plan.lanes < 1 || plan.lanes > LANES_MAX)
		return 1;
	(void)setvbuf(stdout, NULL, _IONBF, 0);
	printf("ready\n");
	if (!fgets(line, sizeof(line), stdin) || storm(&plan) != 0)
		return 1;
	return fgets(line, sizeof(line), stdin) ? 0 : 1;
}
