/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random_stacks - spends its time at the bottom of calls whose order is another one each time
 *
 * random_stacks DEPTH SECONDS, of CPU time: each of the DEPTH calls is one of eight, by chance, so
 * that no two stacks are equal, and what is written of them does not become small by compression.
 */

#include <stdlib.h>
#include <time.h>

#include "noinline.h"
#include "spin.h"

#define STEPS 20000

static uint64_t dice = 88172645463325252u;

static unsigned cast(void)
{
	dice ^= dice << 13;
	dice ^= dice >> 7;
	dice ^= dice << 17;
	return (unsigned)(dice >> 33) & 7;
}

noinline static unsigned descend(unsigned left);

#define CALL(number)                                          \
	noinline static unsigned call_##number(unsigned left) \
	{                                                     \
		return descend(left - 1) + (number);          \
	}
CALL(0)
CALL(1)
CALL(2)
CALL(3)
CALL(4)
CALL(5)
CALL(6)
CALL(7)

noinline static unsigned descend(unsigned left)
{
	static unsigned (*const calls[])(unsigned) = {call_0, call_1, call_2, call_3,
						      call_4, call_5, call_6, call_7};

	if (left)
		return calls[cast()](left) + 1;
	spin_steps(STEPS);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned depth = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 100;
	clock_t end = argc > 2 ? strtol(argv[2], NULL, 10) * CLOCKS_PER_SEC : CLOCKS_PER_SEC;
	unsigned sum = 0;

	while (clock() < end)
		sum += descend(depth);
	return sum == 1;
}
