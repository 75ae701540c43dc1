/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name_pool - the distinct names of a result, each once
 */

#include "symbolizer/parser/dwarf/name_pool.h"

#include <stdlib.h>
#include <string.h>

#include "symbolizer/parser/parser.h"

#define FIRST_SLOTS 1024u
#define FIRST_BYTES (64u << 10)
#define HASH_START  0xcbf29ce484222325ull /* as FNV-1a has it, but of words */
#define HASH_FACTOR 0x9e3779b97f4a7c15ull
#define HASH_SHIFT  32

static uint32_t hash_of(const char *name, size_t length)
{
	uint64_t hash = HASH_START, word;

	for (; length >= sizeof(word); length -= sizeof(word), name += sizeof(word)) {
		memcpy(&word, name, sizeof(word));
		hash = (hash ^ word) * HASH_FACTOR;
		hash ^= hash >> HASH_SHIFT;
	}
	word = 0;
	memcpy(&word, name, length);
	hash = (hash ^ word) * HASH_FACTOR;
	return (uint32_t)(hash ^ hash >> HASH_SHIFT);
}

/* The slot of a name, or the free one where it belongs. */
static uint32_t *find_slot(const struct name_pool *pool, const char *name, size_t length)
{
	uint32_t mask = pool->slot_count - 1;
	uint32_t at = hash_of(name, length) & mask;

	while (pool->slots[at]) {
		const char *other = pool->bytes + pool->slots[at] - 1;

		if (strncmp(other, name, length) == 0 && !other[length])
			break;
		at = (at + 1) & mask;
	}
	return &pool->slots[at];
}

/* Keeps a third of the slots free. */
static bool grow_slots(struct name_pool *pool)
{
	struct name_pool grown = *pool;

	if (pool->count < pool->slot_count / 3 * 2)
		return true;
	grown.slot_count = pool->slot_count ? 2 * pool->slot_count : FIRST_SLOTS;
	grown.slots = calloc(grown.slot_count, sizeof(*grown.slots));
	if (!grown.slots)
		return false;
	for (uint32_t i = 0; i < pool->slot_count; i++) {
		const char *name;

		if (!pool->slots[i])
			continue;
		name = pool->bytes + pool->slots[i] - 1;
		*find_slot(&grown, name, strlen(name)) = pool->slots[i];
	}
	free(pool->slots);
	*pool = grown;
	return true;
}

static bool grow_bytes(struct name_pool *pool, size_t more)
{
	uint32_t capacity = pool->capacity ? pool->capacity : FIRST_BYTES;
	char *bytes;

	if (more > PARSER_NAMES_MAX - pool->used)
		return false;
	while (capacity - pool->used < more)
		capacity *= 2;
	if (capacity == pool->capacity)
		return true;
	bytes = realloc(pool->bytes, capacity);
	if (!bytes)
		return false;
	pool->bytes = bytes;
	pool->capacity = capacity;
	return true;
}

uint32_t name_pool_add(struct name_pool *pool, const char *name)
{
	size_t length;
	uint32_t *slot;

	if (!name || !*name)
		return PARSER_NO_NAME;
	length = strnlen(name, PARSER_LINES_NAME_MAX);
	pool->truncated |= name[length] != '\0';
	if (!grow_slots(pool)) {
		pool->truncated = true;
		return PARSER_NO_NAME;
	}
	slot = find_slot(pool, name, length);
	if (*slot)
		return *slot - 1;
	if (!grow_bytes(pool, length + 1)) {
		pool->truncated = true;
		return PARSER_NO_NAME;
	}
	memcpy(pool->bytes + pool->used, name, length);
	pool->bytes[pool->used + length] = '\0';
	*slot = pool->used + 1;
	pool->used += (uint32_t)length + 1;
	pool->count++;
	return *slot - 1;
}

void name_pool_free(struct name_pool *pool)
{
	free(pool->bytes);
	free(pool->slots);
	*pool = (struct name_pool){0};
}
