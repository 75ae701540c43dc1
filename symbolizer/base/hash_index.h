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

#define HASH_INDEX_NONE 0xffffffffu

struct hash_index {
	uint64_t *slots;   /* hash << 32 | index + 1; 0: empty */
	uint32_t capacity; /* power of two, or 0 */
	uint32_t used;
	struct budget *budget; /* borrowed */
};

struct hash_index_walk {
	uint32_t hash;
	uint32_t at;
	uint32_t steps;
};

struct hash_index_walk hash_index_start(uint32_t hash);
/* The next index whose hash is equal, or HASH_INDEX_NONE. */
uint32_t hash_index_next(const struct hash_index *lookup, struct hash_index_walk *walk);
/* Return: 0, BUDGET_E_SPENT. */
int hash_index_add(struct hash_index *lookup, uint32_t hash, uint32_t index);
/* Takes one out that was added; one that is not there changes nothing. */
void hash_index_remove(struct hash_index *lookup, uint32_t hash, uint32_t index);
void hash_index_deinit(struct hash_index *lookup);
