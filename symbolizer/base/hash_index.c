/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash_index - maps hashes to indices of items that are kept in another array
 */

#include "symbolizer/base/hash_index.h"

#include <stdlib.h>
#include <string.h>

#define HASH_INDEX_FIRST 64u

static void insert_slot(uint64_t *slots, uint32_t capacity, uint64_t slot)
{
	uint32_t at = (uint32_t)(slot >> 32) & (capacity - 1);

	while (slots[at])
		at = (at + 1) & (capacity - 1);
	slots[at] = slot;
}

static int resize(struct hash_index *table, uint64_t capacity)
{
	uint64_t *slots;

	if (capacity > 1u << 31 || budget_take(table->budget, capacity * sizeof(*slots)))
		return BUDGET_E_SPENT;
	slots = calloc(capacity, sizeof(*slots));
	if (!slots) {
		budget_give(table->budget, capacity * sizeof(*slots));
		return BUDGET_E_SPENT;
	}
	for (uint32_t i = 0; i < table->capacity; i++)
		if (table->slots[i])
			insert_slot(slots, (uint32_t)capacity, table->slots[i]);
	free(table->slots);
	budget_give(table->budget, table->capacity * sizeof(*slots));
	table->slots = slots;
	table->capacity = (uint32_t)capacity;
	return 0;
}

struct hash_index_walk hash_index_start(uint32_t hash)
{
	return (struct hash_index_walk){.hash = hash, .at = hash};
}

uint32_t hash_index_next(const struct hash_index *table, struct hash_index_walk *walk)
{
	while (walk->steps < table->capacity) {
		uint64_t slot = table->slots[walk->at & (table->capacity - 1)];

		if (!slot)
			return HASH_INDEX_NONE;
		walk->at++;
		walk->steps++;
		if ((uint32_t)(slot >> 32) == walk->hash)
			return (uint32_t)slot - 1;
	}
	return HASH_INDEX_NONE;
}

int hash_index_add(struct hash_index *table, uint32_t hash, uint32_t index)
{
	/* At most three quarters are in use, so that every walk meets an empty slot soon. */
	if (table->used + 1 > table->capacity / 4 * 3 &&
	    resize(table, table->capacity ? 2ull * table->capacity : HASH_INDEX_FIRST))
		return BUDGET_E_SPENT;
	insert_slot(table->slots, table->capacity, (uint64_t)hash << 32 | (index + 1u));
	table->used++;
	return 0;
}

void hash_index_remove(struct hash_index *table, uint32_t hash, uint32_t index)
{
	uint64_t wanted = (uint64_t)hash << 32 | (index + 1u);
	uint32_t mask = table->capacity - 1;
	uint32_t hole = hash & mask;

	if (!table->capacity)
		return;
	while (table->slots[hole] != wanted) {
		if (!table->slots[hole])
			return;
		hole = (hole + 1) & mask;
	}
	/* A walk ends at the first empty slot, so later entries move into the hole, except those
	 * that would then lie before the slot that their hash gives. */
	for (uint32_t at = (hole + 1) & mask; table->slots[at]; at = (at + 1) & mask) {
		uint32_t home = (uint32_t)(table->slots[at] >> 32) & mask;

		if (((at - home) & mask) < ((at - hole) & mask))
			continue;
		table->slots[hole] = table->slots[at];
		hole = at;
	}
	table->slots[hole] = 0;
	table->used--;
}

void hash_index_clear(struct hash_index *table)
{
	if (table->capacity)
		memset(table->slots, 0, table->capacity * sizeof(*table->slots));
	table->used = 0;
}

void hash_index_shrink(struct hash_index *table)
{
	uint64_t capacity = HASH_INDEX_FIRST;

	while (table->used + 1 > capacity / 4 * 3)
		capacity *= 2;
	if (capacity < table->capacity)
		(void)resize(table, capacity);
}

void hash_index_deinit(struct hash_index *table)
{
	free(table->slots);
	budget_give(table->budget, table->capacity * sizeof(*table->slots));
	table->slots = NULL;
	table->capacity = 0;
	table->used = 0;
}
