/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hot - three functions that take 60, 30 and 10 percent of its CPU time
 *
 * hot THREADS SECONDS. The shares are shares of the same work, a chain of dependent
 * multiplications, so they hold whatever else runs on the machine.
 */

#include "bare.h"

#define UNIT 500000u /* multiplications; a round of 100 units takes some 50 ms */

static uint64_t seed = 1;

bare_noinline static uint64_t hot_60(uint64_t x)
{
	bare_frame();
	SPIN_CHAIN(x, 60 * UNIT);
	return x + 1;
}

bare_noinline static uint64_t hot_30(uint64_t x)
{
	bare_frame();
	SPIN_CHAIN(x, 30 * UNIT);
	return x + 2;
}

bare_noinline static uint64_t hot_10(uint64_t x)
{
	bare_frame();
	SPIN_CHAIN(x, 10 * UNIT);
	return x + 3;
}

bare_noinline static uint64_t one_round(uint64_t x)
{
	x = hot_60(x);
	x = hot_30(x);
	return hot_10(x) + 4;
}

bare_noinline static void work(long seconds)
{
	uint64_t end = bare_clock_ns(CLOCK_MONOTONIC) + (uint64_t)seconds * 1000000000u;
	uint64_t x = seed;

	while (bare_clock_ns(CLOCK_MONOTONIC) < end)
		x = one_round(x);
	__atomic_store_n(&seed, x, __ATOMIC_RELAXED);
}

int bare_run(int argc, char **argv)
{
	unsigned threads = argc > 1 ? bare_number(argv[1]) : 1;
	long seconds = argc > 2 ? (long)bare_number(argv[2]) : 1;

	if (threads > BARE_THREADS_MAX)
		return 2;
	if (threads == 1) {
		work(seconds);
		return 0;
	}
	for (unsigned i = 0; i < threads; i++)
		bare_thread_begin(i, work, seconds);
	for (unsigned i = 0; i < threads; i++)
		bare_thread_join(i);
	return 0;
}
