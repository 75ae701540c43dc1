/* SPDX-License-Identifier: Apache-2.0 */
/*
 * retire_cost - W5: what 100,000 due retirements cost among a million that wait
 */

#include <inttypes.h>
#include <stdio.h>

#include "shared/clock.h"
#include "shared/retire.h"
#include "tests/model/random.h"

#define WAIT     1000000u
#define DUE      100000u
#define TIMES    5
#define GOAL_MS  10.0
#define BOUND_MS 50.0 /* for a lost order of magnitude on a noisy machine */

static uint64_t ran;

static void note(void *context, uint64_t ktime, uint64_t value)
{
	ran++;
}

static double ms(void)
{
	return (double)tm_clock_ns() / 1e6;
}

/* Return: milliseconds of the run that finds the due ones, or -1 when it found others. */
static double run(uint64_t *random, uint64_t now)
{
	struct tm_retire_queue queue = {0};
	double from, took;

	ran = 0;
	(void)tm_retire_run(&queue, now);
	for (uint32_t i = 0; i < WAIT; i++) {
		uint64_t later = i < DUE ? 1 + random_next(random) % 100000000
					 : 200000000 + random_next(random) % 60000000000;

		if (tm_retire_at(&queue, now + later, note, NULL, i) != 0)
			return -1;
	}
	from = ms();
	(void)tm_retire_run(&queue, now + 150000000);
	took = ms() - from;
	tm_retire_deinit(&queue);
	return ran == DUE ? took : -1;
}

int main(void)
{
	uint64_t random = random_seed("due");
	double best = -1;

	for (unsigned i = 1; i <= TIMES; i++) {
		double took = run(&random, 1000000000ull * i);

		if (took < 0) {
			(void)printf("others than the due ones were retired: %" PRIu64 "\n", ran);
			return 1;
		}
		if (best < 0 || took < best)
			best = took;
	}
	(void)printf("FIGURE W5 retirements | %u due of %u | %.2f ms, the best of %d | "
		     "goal %g ms, bound %g ms\n",
		     DUE, WAIT, best, TIMES, GOAL_MS, BOUND_MS);
	return best > BOUND_MS;
}
