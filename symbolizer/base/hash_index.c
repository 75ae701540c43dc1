/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash_index - from a hash to the indices of things kept elsewhere
 */

#include "symbolizer/base/hash_index.h"

#include <stdlib.h>

#define HASH_INDEX_FIRST 64u

static void put(uint64_t *slots, uint32_t capacity, uint64_t slot)
{
	uint32_t at = (uint32_t)(slot >> 32) & (capacity - 1);

	while (slots[at])
		at = (at + 1) & (capacity - 1);
	slots[at] = slot;
}

static int enlarge(struct hash_index *lookup)
{
	uint64_t capacity = lookup->capacity ? 2ull * lookup->capacity : HASH_INDEX_FIRST;
	uint64_t *slots;

	if (capacity > 1u << 31 || budget_take(lookup->budget, capacity * sizeof(*slots)))
		return BUDGET_E_SPENT;
	slots = calloc(capacity, sizeof(*slots));
	if (!slots) {
		budget_give(lookup->budget, capacity * sizeof(*slots));
		return BUDGET_E_SPENT;
	}
	for (uint32_t i = 0; i < lookup->capacity; i++)
		if (lookup->slots[i])
			put(slots, (uint32_t)capacity, lookup->slots[i]);
	free(lookup->slots);
	budget_give(lookup->budget, lookup->capacity * sizeof(*slots));
	lookup->slots = slots;
	lookup->capacity = (uint32_t)capacity;
	return 0;
}

struct hash_index_walk hash_index_start(uint32_t hash)
{
	return (struct hash_index_walk){.hash = hash, .at = hash};
}

uint32_t hash_index_next(const struct hash_index *lookup, struct hash_index_walk *walk)
{
	while (walk->steps < lookup->capacity) {
		uint64_t slot = lookup->slots[walk->at & (lookup->capacity - 1)];

		if (!slot)
			return HASH_INDEX_NONE;
		walk->at++;
		walk->steps++;
		if ((uint32_t)(slot >> 32) == walk->hash)
			return (uint32_t)slot - 1;
	}
	return HASH_INDEX_NONE;
}

int hash_index_add(struct hash_index *lookup, uint32_t hash, uint32_t index)
{
	/* Three quarters full at most, so that an empty slot ends every walk soon. */
	if (lookup->used + 1 > lookup->capacity / 4 * 3 && enlarge(lookup))
		return BUDGET_E_SPENT;
	put(lookup->slots, lookup->capacity, (uint64_t)hash << 32 | (index + 1u));
	lookup->used++;
	return 0;
}

void hash_index_remove(struct hash_index *lookup, uint32_t hash, uint32_t index)
{
	uint64_t wanted = (uint64_t)hash << 32 | (index + 1u);
	uint32_t mask = lookup->capacity - 1;
	uint32_t hole = hash & mask;

	if (!lookup->capacity)
		return;
	while (lookup->slots[hole] != wanted) {
		if (!lookup->slots[hole])
			return;
		hole = (hole + 1) & mask;
	}
	/* Walks end at the first empty slot: what lies behind moves up, unless it would pass its
	 * home. */
	for (uint32_t at = (hole + 1) & mask; lookup->slots[at]; at = (at + 1) & mask) {
		uint32_t home = (uint32_t)(lookup->slots[at] >> 32) & mask;

		if (((at - home) & mask) < ((at - hole) & mask))
			continue;
		lookup->slots[hole] = lookup->slots[at];
		hole = at;
	}
	lookup->slots[hole] = 0;
	lookup->used--;
}

void hash_index_deinit(struct hash_index *lookup)
{
	free(lookup->slots);
	budget_give(lookup->budget, lookup->capacity * sizeof(*lookup->slots));
	lookup->slots = NULL;
	lookup->capacity = 0;
	lookup->used = 0;
}
