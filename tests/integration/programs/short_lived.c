/* SPDX-License-Identifier: Apache-2.0 */
/*
 * short_lived - lives for some milliseconds in one function that bears the program's own number
 *
 * program-000000 MILLISECONDS. The digits in the symbol's name are a template:
 * numbered_programs.py writes as many copies of the executable as a test wants, each with its own
 * number in its file name and in its function's name, so that a sample under a wrong name gives
 * itself away.
 */

#include "bare.h"

bare_noinline static void own_function_000000(unsigned milliseconds)
{
	bare_spin_ns(CLOCK_MONOTONIC, milliseconds * 1000000ull);
}

int bare_run(int argc, char **argv)
{
	own_function_000000(argc > 1 ? bare_number(argv[1]) : 5);
	return 0;
}
