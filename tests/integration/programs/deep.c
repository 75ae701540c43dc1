/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deep - spends its time at the bottom of a recursion of a given depth
 *
 * deep DEPTH THREADS SECONDS, of each thread's own CPU time: the stack is DEPTH calls of recurse
 * and then leaf. With 0 THREADS the first thread does this itself. `deep` has frame pointers all
 * the way and no libc; deep-fp has frame pointers and no call frame information, deep-cfi the other
 * way round, on libc, linked statically with -static.
 */

#include "bare.h"

static uint64_t seed = 1;
static unsigned depth = 65;

bare_noinline static uint64_t leaf(uint64_t x)
{
	bare_frame();
	SPIN_CHAIN(x, 200000);
	return x + 1;
}

bare_noinline static uint64_t recurse(uint64_t x, unsigned left, uint64_t end)
{
	if (left > 1)
		return recurse(x, left - 1, end) + 1;
	while (bare_clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		x = leaf(x);
	return x + 2;
}

bare_noinline static void work(long seconds)
{
	uint64_t end = bare_clock_ns(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)seconds * 1000000000u;

	__atomic_store_n(&seed, recurse(seed, depth, end), __ATOMIC_RELAXED);
}

int bare_run(int argc, char **argv)
{
	unsigned threads = argc > 2 ? bare_number(argv[2]) : 1;
	long seconds = argc > 3 ? (long)bare_number(argv[3]) : 1;

	if (argc > 1)
		depth = bare_number(argv[1]);
	if (!threads && depth)
		work(seconds);
	if (threads > BARE_THREADS_MAX || depth < 1)
		return 2;
	for (unsigned i = 0; i < threads; i++)
		bare_thread_begin(i, work, seconds);
	for (unsigned i = 0; i < threads; i++)
		bare_thread_join(i);
	return 0;
}
