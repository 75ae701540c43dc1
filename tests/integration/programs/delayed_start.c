/* SPDX-License-Identifier: Apache-2.0 */
/*
 * delayed_start - waits at a FIFO, then spins in one function, which has the program's number in
 * its name
 *
 * delayed_start FIFO MICROSECONDS: opens FIFO, which blocks until somebody opens it for writing.
 * numbered_programs.py makes numbered copies of it. A waiting process is not sampled, so
 * whatever is done to its file meanwhile precedes the first sample.
 */

#include <fcntl.h>

#include "bare.h"

bare_noinline static void own_function_000000(unsigned microseconds)
{
	bare_spin_ns(CLOCK_PROCESS_CPUTIME_ID, microseconds * 1000ull);
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
