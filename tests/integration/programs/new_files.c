/* SPDX-License-Identifier: Apache-2.0 */
/*
 * new_files - calls through many files of code, and makes each of them a new file again and again
 *
 * new_files FOLDER COUNT: writes COUNT files of code into FOLDER, which must be empty, and prints
 * "ready". Until its input ends it changes their modification times and calls the function of the
 * first, which calls that of the second and so on. So each sample has COUNT new files.
 */

#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "shared/clock.h"
#include "tests/integration/programs/code_files.h"

#define ROUND_NS 2000000u

/* The innermost. */
static void spin(void **rest, unsigned ns)
{
	uint64_t end = tm_clock_ns() + ns;

	(void)rest;
	while (tm_clock_ns() < end)
		;
}

int main(int argc, char **argv)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	unsigned count = argc == 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;

	if (!count || count > CODE_FILES_MAX)
		return 2;
	if (code_files_make(argv[1], count) < 0) {
		perror("new_files: making a file of code");
		return 1;
	}
	(void)puts("ready");
	(void)fflush(stdout);
	for (time_t second = 1; poll(&input, 1, 0) == 0; second++) {
		if (code_files_touch(second) < 0) {
			perror("new_files: changing the times of a file");
			return 1;
		}
		code_files_call(spin, ROUND_NS);
	}
	return 0;
}
