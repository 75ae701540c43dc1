/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawn_at_rate - starts short-lived numbered programs at a given rate
 *
 * spawn_at_rate PREFIX COUNT A_SECOND MILLISECONDS [LANES]: executes PREFIXnnnnnn MILLISECONDS,
 * nnnnnn from 1 to COUNT. LANES processes take turns, each with one child at a time. Prints the
 * rate that was reached.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shared/clock.h"
#include "tests/integration/programs/spawn_wait.h"

struct plan {
	const char *prefix;
	unsigned long count;
	unsigned long rate;
	unsigned long lanes;
	char *milliseconds;
	uint64_t begin;
};

static int spawn_one(const struct plan *plan, unsigned long number)
{
	char path[512];

	(void)snprintf(path, sizeof(path), "%s%06lu", plan->prefix, number);
	return spawn_and_wait(path, plan->milliseconds);
}

static int run_lane(const struct plan *plan, unsigned long lane)
{
	for (unsigned long number = 1 + lane; number <= plan->count; number += plan->lanes) {
		spawn_wait_until(plan->begin + (number - 1) * (1000000000u / plan->rate));
		if (spawn_one(plan, number) != 0)
			return 1;
	}
	return 0;
}

static int run_lanes(const struct plan *plan)
{
	int status, failed = 0;

	for (unsigned long lane = 0; lane < plan->lanes; lane++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(run_lane(plan, lane));
		failed |= pid < 0;
	}
	while (waitpid(-1, &status, 0) > 0)
		failed |= status != 0;
	return failed;
}

int main(int argc, char **argv)
{
	struct plan plan;

	if (argc < 5)
		return 2;
	plan.prefix = argv[1];
	plan.count = strtoul(argv[2], NULL, 10);
	plan.rate = strtoul(argv[3], NULL, 10);
	plan.milliseconds = argv[4];
	plan.lanes = argc > 5 ? strtoul(argv[5], NULL, 10) : 8;
	if (plan.rate == 0 || plan.lanes == 0)
		return 2;
	plan.begin = tm_clock_ns();
	if (run_lanes(&plan) != 0)
		return 1;
	printf("%.0f a second\n",
	       (double)plan.count / ((double)(tm_clock_ns() - plan.begin) / 1e9));
	return 0;
}
