/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * hash_index - maps hashes to indices of items that are kept in another array
 *
 * Open addressing with linear probing. A slot holds the 32-bit hash and the index; the caller
 * compares the item itself.
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

/* Starts a walk over the indices that were added with @hash. */
struct hash_index_walk hash_index_start(uint32_t hash);
/* Return: the next index of the walk, or HASH_INDEX_NONE. */
uint32_t hash_index_next(const struct hash_index *table, struct hash_index_walk *walk);
/* Return: 0, BUDGET_E_SPENT. */
int hash_index_add(struct hash_index *table, uint32_t hash, uint32_t index);
/* Does nothing if the pair is not in the table. */
void hash_index_remove(struct hash_index *table, uint32_t hash, uint32_t index);
/* Removes all; what was there before can be added again without failing. */
void hash_index_clear(struct hash_index *table);
/* Gives back what it does not need, if there is memory to do so. */
void hash_index_shrink(struct hash_index *table);
void hash_index_deinit(struct hash_index *table);
