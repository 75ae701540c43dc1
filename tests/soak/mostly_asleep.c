/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mostly_asleep - runs for a fiftieth of the time, in a function whose name bears a number
 *
 * usage: mostly_asleep MILLISECONDS. tests/lib/numbered_programs.py replaces the digits in the name
 * of the function.
 */

#include "bare.h"

#define AWAKE_NS  1000000u
#define ASLEEP_NS 49000000

bare_noinline static void own_function_000000(void)
{
	bare_spin_ns(CLOCK_MONOTONIC, AWAKE_NS);
}

int bare_run(int argc, char **argv)
{
	uint64_t length = (argc > 1 ? bare_number(argv[1]) : 1000) * 1000000ull;
	uint64_t end = bare_clock_ns(CLOCK_MONOTONIC) + length;
	const struct timespec nap = {.tv_nsec = ASLEEP_NS};

	while (bare_clock_ns(CLOCK_MONOTONIC) < end) {
		own_function_000000();
		bare_call(SYS_nanosleep, (long)(uintptr_t)&nap, 0, 0, 0);
	}
	return 0;
}
