/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * hash_index - from a hash to the indices of things kept elsewhere
 *
 * Open addressing; a slot holds the 32-bit hash and the index, the caller compares the thing
 * itself.
 */

#include <stdint.h>

#include "symbolizer/base/budget.h"

#define LOOKUP_NONE 0xffffffffu

struct lookup {
	uint64_t *slots;   /* hash << 32 | index + 1; 0: empty */
	uint32_t capacity; /* power of two, or 0 */
	uint32_t used;
	struct budget *budget; /* borrowed */
};

struct lookup_walk {
	uint32_t hash;
	uint32_t at;
	uint32_t steps;
};

struct lookup_walk lookup_start(uint32_t hash);
/* The next index whose hash is equal, or LOOKUP_NONE. */
uint32_t lookup_next(const struct lookup *lookup, struct lookup_walk *walk);
/* Return: 0, BUDGET_E_SPENT. */
int lookup_add(struct lookup *lookup, uint32_t hash, uint32_t index);
/* Takes one out that was added; one that is not there changes nothing. */
void lookup_remove(struct lookup *lookup, uint32_t hash, uint32_t index);
void lookup_deinit(struct lookup *lookup);
