/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line_cache - inlined calls and source lines at addresses, kept from one report to the next
 */

#include "symbolizer/names/line_cache.h"

#include <stdlib.h>
#include <string.h>

struct line_key {
	struct tm_identity identity;
	uint64_t vaddr;
};

struct texts { /* of a record that is being made */
	char *bytes;
	uint32_t used;
};

void line_cache_init(struct line_cache *cache, uint64_t bytes, const struct hash_seed *seed)
{
	*cache = (struct line_cache){.budget.limit = bytes, .seed = seed};
	TAILQ_INIT(&cache->uses);
	cache->lookup.budget = &cache->budget;
}

static void drop(struct line_cache *cache, struct line_record *record)
{
	struct line_cache_slot *slot = &cache->slots[record->slot];

	TAILQ_REMOVE(&cache->uses, record, use);
	hash_index_remove(&cache->lookup, record->hash, record->slot);
	*slot = (struct line_cache_slot){.next_free = cache->free};
	cache->free = record->slot + 1;
	budget_give(&cache->budget, record->bytes);
	free(record);
}

void line_cache_deinit(struct line_cache *cache)
{
	while (cache->seed && !TAILQ_EMPTY(&cache->uses))
		drop(cache, TAILQ_FIRST(&cache->uses));
	hash_index_deinit(&cache->lookup);
	budget_drop(&cache->budget, &cache->slots, &cache->capacity, sizeof(*cache->slots));
	cache->count = 0;
	cache->free = 0;
}

void line_cache_begin(struct line_cache *cache, uint64_t now_ms)
{
	cache->now_ms = now_ms;
}

void line_cache_expire(struct line_cache *cache)
{
	struct line_record *oldest;

	while ((oldest = TAILQ_FIRST(&cache->uses)) != NULL &&
	       cache->now_ms - oldest->used_ms > LINE_CACHE_KEPT_MS)
		drop(cache, oldest);
}

static uint32_t hash_of(const struct line_cache *cache, const struct tm_identity *identity,
			uint64_t vaddr)
{
	const struct line_key key = {*identity, vaddr};

	return hash_bytes(cache->seed, &key, sizeof(key));
}

static struct line_record *find(struct line_cache *cache, uint32_t hash,
				const struct tm_identity *identity, uint64_t vaddr)
{
	struct hash_index_walk walk = hash_index_start(hash);
	uint32_t index;

	while ((index = hash_index_next(&cache->lookup, &walk)) != HASH_INDEX_NONE) {
		struct line_record *record = cache->slots[index].record;

		if (record->vaddr == vaddr &&
		    memcmp(&record->identity, identity, sizeof(*identity)) == 0)
			return record;
	}
	return NULL;
}

const struct line_record *line_cache_find(struct line_cache *cache,
					  const struct tm_identity *identity, uint64_t vaddr)
{
	struct line_record *record = find(cache, hash_of(cache, identity, vaddr), identity, vaddr);

	if (record) {
		TAILQ_REMOVE(&cache->uses, record, use);
		TAILQ_INSERT_TAIL(&cache->uses, record, use);
		record->used_ms = cache->now_ms;
	}
	return record;
}

/* --- what is added ---------------------------------------------------------------------------- */

static uint64_t text_bytes(const struct lines_check *lines, uint32_t name)
{
	return name == PARSER_NO_NAME ? 0 : strlen(lines->names + name) + 1;
}

static uint64_t record_bytes(const struct lines_check *lines, const struct parser_place *place)
{
	uint64_t bytes = sizeof(struct line_record);

	for (uint32_t i = 0; i < place->call_count; i++) {
		const struct parser_call *call = &lines->calls[place->first_call + i];

		bytes += sizeof(*call) + text_bytes(lines, call->function) +
			 text_bytes(lines, call->file);
		if (bytes > LINE_CACHE_RECORD_MAX)
			break;
	}
	return bytes;
}

static uint32_t add_text(struct texts *texts, const struct lines_check *lines, uint32_t name)
{
	uint32_t at = texts->used;
	size_t bytes;

	if (name == PARSER_NO_NAME)
		return PARSER_NO_NAME;
	bytes = strlen(lines->names + name) + 1;
	memcpy(texts->bytes + at, lines->names + name, bytes);
	texts->used += (uint32_t)bytes;
	return at;
}

static void fill_calls(struct line_record *record, const struct lines_check *lines,
		       const struct parser_place *place)
{
	struct texts texts = {.bytes = (char *)(record->calls + place->call_count)};

	record->call_count = place->call_count;
	record->flags = lines->header->flags;
	for (uint32_t i = 0; i < place->call_count; i++) {
		struct parser_call *call = &record->calls[i];

		*call = lines->calls[place->first_call + i];
		call->function = add_text(&texts, lines, call->function);
		call->file = add_text(&texts, lines, call->file);
	}
}

/* Return: 0: there is a free slot; BUDGET_E_SPENT. */
static int need_slot(struct line_cache *cache)
{
	if (cache->free)
		return 0;
	if (budget_grow(&cache->budget, &cache->slots, &cache->capacity, cache->count + 1,
			sizeof(*cache->slots)))
		return BUDGET_E_SPENT;
	cache->slots[cache->count].next_free = 0;
	cache->free = ++cache->count;
	return 0;
}

/* Evicts what it takes. Return: a record in a slot, its bytes charged; NULL: there is none. */
static struct line_record *new_record(struct line_cache *cache, uint64_t bytes, uint32_t hash)
{
	struct line_record *record;

	while (need_slot(cache) || budget_take(&cache->budget, bytes)) {
		if (TAILQ_EMPTY(&cache->uses))
			return NULL;
		drop(cache, TAILQ_FIRST(&cache->uses));
	}
	record = calloc(1, bytes);
	if (!record || hash_index_add(&cache->lookup, hash, cache->free - 1)) {
		budget_give(&cache->budget, bytes);
		free(record);
		return NULL;
	}
	record->bytes = (uint32_t)bytes;
	record->hash = hash;
	record->slot = cache->free - 1;
	cache->free = cache->slots[record->slot].next_free;
	cache->slots[record->slot].record = record;
	TAILQ_INSERT_TAIL(&cache->uses, record, use);
	return record;
}

void line_cache_add(struct line_cache *cache, const struct tm_identity *identity, uint64_t vaddr,
		    const struct lines_check *lines, const struct parser_place *place)
{
	uint32_t hash = hash_of(cache, identity, vaddr);
	struct line_record *record = find(cache, hash, identity, vaddr);
	uint64_t bytes = record_bytes(lines, place);

	if (record)
		drop(cache, record);
	if (bytes > LINE_CACHE_RECORD_MAX)
		return;
	record = new_record(cache, bytes, hash);
	if (!record)
		return;
	record->identity = *identity;
	record->vaddr = vaddr;
	record->used_ms = cache->now_ms;
	fill_calls(record, lines, place);
}
