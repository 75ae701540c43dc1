/* SPDX-License-Identifier: Apache-2.0 */
/*
 * late - waits to be let go, then spins in one function that bears the program's own number
 *
 * late FIFO MICROSECONDS: opens FIFO, which lasts until somebody writes there. clones.py makes numbered
 * copies of it. Nobody samples a process that waits, so whatever is done to its file meanwhile comes
 * before the first sample.
 */

#include <fcntl.h>

#include "bare.h"

static uint64_t seed = 1;

bare_noinline static void own_function_000000(unsigned microseconds)
{
	uint64_t begin = bare_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	uint64_t x = seed;

	bare_frame();
	while (bare_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin < (uint64_t)microseconds * 1000u) {
		for (unsigned i = 0; i < 20000; i++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			__asm__ __volatile__("" : "+r"(x));
		}
	}
	seed = x;
}

int bare_run(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	if (bare_call(SYS_open, (long)(uintptr_t)argv[1], O_RDONLY, 0, 0) < 0)
		return 1;
	own_function_000000(bare_number(argv[2]));
	return 0;
}
