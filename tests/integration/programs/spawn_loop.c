/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawn_loop - starts a program again and again, as fast as one process can: spawn_loop SECONDS
 * PROGRAM
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "shared/clock.h"
#include "tests/integration/programs/spawn_wait.h"

static double now(void)
{
	return (double)tm_clock_ns() / 1e9;
}

int main(int argc, char **argv)
{
	char true_path[] = "/bin/true";
	double begin = now(), end = begin + (argc > 1 ? strtod(argv[1], NULL) : 1.0);
	unsigned long count = 0;

	while (now() < end) {
		if (spawn_and_wait(argc > 2 ? argv[2] : true_path, NULL) < 0)
			return 1;
		count++;
	}
	printf("%.0f a second\n", (double)count / (now() - begin));
	return 0;
}
