/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * spin - keeps a CPU busy with a chain of dependent multiplications, without libc
 *
 * Each step needs the result of the one before, so equal numbers of steps take equal times. The
 * macro expands in its caller, so that the caller is the function that is sampled.
 */

#include <stdint.h>

/* The empty assembly keeps the compiler from computing the result beforehand. */
#define SPIN_CHAIN_BY(x, steps, increment)                    \
	for (unsigned spun = 0; spun < (steps); spun++) {     \
		(x) = (x)*6364136223846793005u + (increment); \
		__asm__ __volatile__("" : "+r"(x));           \
	}
#define SPIN_CHAIN(x, steps) SPIN_CHAIN_BY(x, steps, 1442695040888963407u)

/* The result of the chain so far: storing it keeps the compiler from leaving the chain out. */
static uint64_t spin_result = 1;

static inline void spin_steps(unsigned steps)
{
	uint64_t x = __atomic_load_n(&spin_result, __ATOMIC_RELAXED);

	SPIN_CHAIN(x, steps);
	__atomic_store_n(&spin_result, x, __ATOMIC_RELAXED);
}
