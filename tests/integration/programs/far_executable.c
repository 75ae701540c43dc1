/* SPDX-License-Identifier: Apache-2.0 */
/*
 * far_executable - a short process whose executable has the last of many files on its stack
 *
 * far_executable FOLDER COUNT LIBRARY MS: writes COUNT files of code into FOLDER, which must be
 * empty. Until it has used MS of CPU time, it calls the function of the first, which calls that of
 * the second and so on, and that of the last one variant_a of LIBRARY (variant.c), which spins.
 */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/integration/programs/code_files.h"

#define ROUND 100000u /* steps of variant_a: a fraction of a millisecond */

static long cpu_ms(void)
{
	struct timespec used;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return used.tv_sec * 1000 + used.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	void *library = argc == 5 ? dlopen(argv[3], RTLD_NOW) : NULL;
	void (*spin)(void **, unsigned);

	if (!library)
		return 2;
	*(void **)&spin = dlsym(library, "variant_a");
	if (!spin || code_files_make(argv[1], (unsigned)strtoul(argv[2], NULL, 10)) < 0) {
		perror("far_executable");
		return 1;
	}
	while (cpu_ms() < strtol(argv[4], NULL, 10))
		code_files_call(spin, ROUND);
	return 0;
}
