/* SPDX-License-Identifier: Apache-2.0 */
/* otlp_index - gives equal keys one number, from 0 on, in the order in which they come */

#include "symbolizer/output/otlp_index.h"

#include <errno.h>
#include <string.h>

/* At most half of the slots are used. */
static uint64_t slots_for(uint64_t most)
{
	uint64_t slots = 4;

	while (slots < 2 * (most + 1))
		slots *= 2;
	return slots;
}

int otlp_index_init(struct otlp_index *index, struct arena *arena, enum otlp_index_kind kind,
		    uint64_t most, int *error)
{
	const uint64_t slots = slots_for(most);
	const size_t bytes =
		kind == OTLP_INDEX_TEXTS ? sizeof(*index->texts) : sizeof(*index->keys);
	void *items = arena_take(arena, (most + 1) * bytes);
	int r;

	*index = (struct otlp_index){
		.slot_mask = (uint32_t)(slots - 1),
		.arena = kind == OTLP_INDEX_COPIES ? arena : NULL,
		.error = error,
	};
	r = hash_seed_init(&index->seed);
	if (r < 0)
		return r;
	index->slots = arena_take(arena, slots * sizeof(*index->slots));
	if (!items || !index->slots)
		return -ENOMEM;
	memset(index->slots, 0, slots * sizeof(*index->slots));
	if (kind == OTLP_INDEX_TEXTS)
		index->texts = items;
	else
		index->keys = items;
	return 0;
}

static bool is_key(const struct otlp_index *index, uint32_t number, const void *key, size_t bytes)
{
	const struct otlp_key *known = &index->keys[number];

	return known->count == bytes && memcmp(known->bytes, key, bytes) == 0;
}

/* Return: where the key stays; NULL: there is no memory. */
static const void *keep(const struct otlp_index *index, const void *key, size_t bytes)
{
	void *copy = index->arena ? arena_take(index->arena, bytes) : NULL;

	if (!index->arena)
		return key;
	if (copy)
		memcpy(copy, key, bytes);
	else
		*index->error = -ENOMEM;
	return copy;
}

uint32_t otlp_index_add(struct otlp_index *index, const void *key, size_t bytes, bool *ret_new)
{
	uint32_t at = hash_bytes(&index->seed, key, bytes) & index->slot_mask;
	uint32_t *slots = index->slots;

	if (ret_new)
		*ret_new = false;
	while (slots[at] != 0 && !is_key(index, slots[at] - 1, key, bytes))
		at = (at + 1) & index->slot_mask;
	if (slots[at] == 0) {
		key = keep(index, key, bytes);
		if (!key)
			return 0;
		index->keys[index->count] = (struct otlp_key){key, bytes};
		slots[at] = ++index->count;
		if (ret_new)
			*ret_new = true;
	}
	return slots[at] - 1;
}

uint32_t otlp_index_add_text(struct otlp_index *index, const char *text)
{
	uint32_t at = hash_bytes(&index->seed, text, strlen(text)) & index->slot_mask;
	uint32_t *slots = index->slots;

	while (slots[at] != 0 && strcmp(index->texts[slots[at] - 1], text) != 0)
		at = (at + 1) & index->slot_mask;
	if (slots[at] == 0) {
		index->texts[index->count] = text;
		slots[at] = ++index->count;
	}
	return slots[at] - 1;
}
