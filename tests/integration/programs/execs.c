/* SPDX-License-Identifier: Apache-2.0 */
/*
 * execs - executes two programs in turn, itself under two names, and spins a little between
 *
 * execs COUNT MICROSECONDS DESCRIPTORS THIS OTHER: executes COUNT times. Each incarnation opens
 * DESCRIPTORS descriptors that close at exec. numbered_programs.py makes the two, each with its
 * number in its function's name and in its file's name.
 */

#include <fcntl.h>

#include "bare.h"

static const char null_device[] = "/dev/null";

bare_noinline static void own_function_000000(unsigned microseconds)
{
	bare_spin_ns(CLOCK_PROCESS_CPUTIME_ID, microseconds * 1000ull);
}

/* "100" becomes "099". */
static void count_down(char *number)
{
	char *at = number;

	while (at[1])
		at++;
	for (; at > number && *at == '0'; at--)
		*at = '9';
	(*at)--;
}

int bare_run(int argc, char **argv)
{
	char *none[] = {NULL};
	char *other;

	if (argc != 6)
		return 2;
	own_function_000000(bare_number(argv[2]));
	if (bare_number(argv[1]) == 0)
		return 0;
	count_down(argv[1]);
	for (unsigned i = bare_number(argv[3]); i > 0; i--)
		bare_call(SYS_open, (long)(uintptr_t)null_device, O_RDONLY | O_CLOEXEC, 0, 0);
	other = argv[5];
	argv[5] = argv[4];
	argv[4] = other;
	bare_call(SYS_execve, (long)(uintptr_t)other, (long)(uintptr_t)argv, (long)(uintptr_t)none,
		  0);
	return 9;
}
