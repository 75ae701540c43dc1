/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * random - random numbers that can be repeated: the seed is printed, and TM_SEED sets it
 */

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

/* Return: TM_SEED, or a fresh seed; it is printed, so that a failure can be repeated. */
static inline uint64_t random_seed(const char *test)
{
	const char *given = getenv("TM_SEED");
	uint64_t seed = 1;

	if (given != NULL)
		seed = strtoull(given, NULL, 0);
	else if (getrandom(&seed, sizeof(seed), 0) != (ssize_t)sizeof(seed))
		abort();
	(void)printf("%s: TM_SEED=%" PRIu64 "\n", test, seed);
	(void)fflush(stdout);
	return seed;
}

/* One step of splitmix64: every state is valid, also 0. */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static inline uint32_t random_below(uint64_t *state, uint32_t bound)
{
	return (uint32_t)(random_next(state) % bound);
}
