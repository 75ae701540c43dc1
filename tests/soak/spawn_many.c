/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawn_many - starts many short processes from several parents, by spawn or by fork alone
 *
 * usage: spawn_many PARENTS COUNT PER_SECOND PROGRAM MIB. Prints "ready", waits for a line, starts
 * COUNT processes (as fast as it can when PER_SECOND is 0), prints "tenth 1" .. "tenth 10"
 * meanwhile and then "done" with their rate, waits for a line and ends. Of each 200 processes of
 * a parent 99 are PROGRAM, 100 a fork that ends at once, and one is PROGRAM MIB, whose memory
 * the kernel frees after its EXIT event. MIB 0: all are PROGRAM.
 */

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shared/clock.h"
#include "tests/integration/programs/spawn_wait.h"

#define PARENTS_MAX 64
#define LARGE_EVERY 200
#define POLL_NS     5000000u

struct plan {
	unsigned long parents, count, per_second;
	char *program, *mib;
	_Atomic uint64_t *started; /* by all parents */
};

static int spawn_one(const struct plan *plan, unsigned long number)
{
	bool mixed = plan->mib[0] != '0';
	int status;
	pid_t pid;

	if (mixed && (number & 1)) {
		pid = fork();
		if (pid == 0)
			_exit(0);
		return pid > 0 && waitpid(pid, NULL, 0) == pid ? 0 : -errno;
	}
	status = spawn_and_wait(plan->program,
				mixed && number % LARGE_EVERY == 0 ? plan->mib : NULL);
	return status < 0 ? status : 0;
}

static int be_parent(const struct plan *plan, unsigned long count)
{
	const uint64_t begin = tm_clock_ns();
	const uint64_t each = plan->per_second ? 1000000000u * plan->parents / plan->per_second : 0;

	for (unsigned long i = 0; i < count; i++) {
		if (each)
			spawn_wait_until(begin + i * each);
		if (spawn_one(plan, i) < 0)
			return 1;
		/* relaxed: a number to print */
		(void)atomic_fetch_add_explicit(plan->started, 1, memory_order_relaxed);
	}
	return 0;
}

/* Prints the progress until all parents have ended. Return: 0, 1 when one of them failed. */
static int report_progress(const struct plan *plan)
{
	uint64_t count = plan->count / plan->parents * plan->parents, started;
	unsigned tenth = 0;
	int status, failed = 0;
	pid_t ended;

	do {
		ended = waitpid(-1, &status, WNOHANG);
		failed |= ended > 0 && status != 0;
		if (ended == 0)
			spawn_wait_until(tm_clock_ns() + POLL_NS);
		/* relaxed: a number to print */
		started = atomic_load_explicit(plan->started, memory_order_relaxed);
		while (tenth < 10 && started >= count * (tenth + 1) / 10)
			printf("tenth %u\n", ++tenth);
	} while (ended >= 0);
	return failed;
}

static int spawn_all(const struct plan *plan)
{
	uint64_t begin = tm_clock_ns();

	for (unsigned long i = 0; i < plan->parents; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(be_parent(plan, plan->count / plan->parents));
		if (pid < 0)
			return 1;
	}
	if (report_progress(plan) != 0)
		return 1;
	printf("done %.0f\n", (double)plan->count / ((double)(tm_clock_ns() - begin) / 1e9));
	return 0;
}

int main(int argc, char **argv)
{
	struct plan plan;
	char line[16];

	if (argc != 6)
		return 2;
	plan = (struct plan){.parents = strtoul(argv[1], NULL, 10),
			     .count = strtoul(argv[2], NULL, 10),
			     .per_second = strtoul(argv[3], NULL, 10),
			     .program = argv[4],
			     .mib = argv[5]};
	plan.started = mmap(NULL, sizeof(*plan.started), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (plan.started == MAP_FAILED || plan.parents < 1 || plan.parents > PARENTS_MAX)
		return 1;
	(void)setvbuf(stdout, NULL, _IONBF, 0);
	printf("ready\n");
	if (!fgets(line, sizeof(line), stdin) || spawn_all(&plan) != 0)
		return 1;
	return fgets(line, sizeof(line), stdin) ? 0 : 1;
}
