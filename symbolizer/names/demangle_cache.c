/* SPDX-License-Identifier: Apache-2.0 */
/*
 * demangle_cache - mangled names and their texts, kept from one report to the next
 */

#include "symbolizer/names/demangle_cache.h"

#include <stdlib.h>
#include <string.h>

void demangle_cache_init(struct demangle_cache *cache, const struct hash_seed *seed)
{
	*cache = (struct demangle_cache){
		.newest = DEMANGLE_CACHE_NONE,
		.oldest = DEMANGLE_CACHE_NONE,
		.free = DEMANGLE_CACHE_NONE,
		.budget.limit = DEMANGLE_CACHE_BYTES,
		.seed = seed,
	};
	cache->lookup.budget = &cache->budget;
}

static void unlink_entry(struct demangle_cache *cache, uint32_t index)
{
	const struct demangle_cache_entry *entry = &cache->entries[index];

	if (entry->newer == DEMANGLE_CACHE_NONE)
		cache->newest = entry->older;
	else
		cache->entries[entry->newer].older = entry->older;
	if (entry->older == DEMANGLE_CACHE_NONE)
		cache->oldest = entry->newer;
	else
		cache->entries[entry->older].newer = entry->newer;
}

static void link_newest(struct demangle_cache *cache, uint32_t index)
{
	struct demangle_cache_entry *entry = &cache->entries[index];

	entry->newer = DEMANGLE_CACHE_NONE;
	entry->older = cache->newest;
	if (cache->newest == DEMANGLE_CACHE_NONE)
		cache->oldest = index;
	else
		cache->entries[cache->newest].newer = index;
	cache->newest = index;
}

static void evict_oldest(struct demangle_cache *cache)
{
	uint32_t index = cache->oldest;
	struct demangle_cache_entry *entry = &cache->entries[index];

	unlink_entry(cache, index);
	hash_index_remove(&cache->lookup, entry->hash, index);
	budget_give(&cache->budget, entry->bytes);
	free(entry->name);
	*entry = (struct demangle_cache_entry){.older = cache->free};
	cache->free = index;
}

void demangle_cache_deinit(struct demangle_cache *cache)
{
	while (cache->oldest != DEMANGLE_CACHE_NONE)
		evict_oldest(cache);
	hash_index_deinit(&cache->lookup);
	budget_drop(&cache->budget, &cache->entries, &cache->capacity, sizeof(*cache->entries));
	cache->count = 0;
}

const char *demangle_cache_find(struct demangle_cache *cache, const char *name)
{
	uint32_t hash = hash_bytes(cache->seed, name, strlen(name));
	struct hash_index_walk walk = hash_index_start(hash);
	uint32_t index;

	while ((index = hash_index_next(&cache->lookup, &walk)) != HASH_INDEX_NONE)
		if (strcmp(cache->entries[index].name, name) == 0) {
			unlink_entry(cache, index);
			link_newest(cache, index);
			return cache->entries[index].name + cache->entries[index].text;
		}
	return NULL;
}

/* Return: 0: there is a free entry; BUDGET_E_SPENT. */
static int need_entry(struct demangle_cache *cache)
{
	if (cache->free != DEMANGLE_CACHE_NONE)
		return 0;
	if (budget_grow(&cache->budget, &cache->entries, &cache->capacity, cache->count + 1,
			sizeof(*cache->entries)))
		return BUDGET_E_SPENT;
	cache->entries[cache->count].older = DEMANGLE_CACHE_NONE;
	cache->free = cache->count++;
	return 0;
}

/* Fills a free entry. Return: 0, BUDGET_E_SPENT: it stays free. */
static int fill(struct demangle_cache *cache, const char *name, const char *text)
{
	const uint32_t index = cache->free;
	const size_t name_bytes = strlen(name) + 1, text_bytes = strlen(text) + 1;
	struct demangle_cache_entry entry = {
		.name = malloc(name_bytes + text_bytes),
		.text = (uint32_t)name_bytes,
		.bytes = (uint32_t)(name_bytes + text_bytes),
		.hash = hash_bytes(cache->seed, name, name_bytes - 1),
	};

	if (!entry.name || hash_index_add(&cache->lookup, entry.hash, index)) {
		free(entry.name);
		return BUDGET_E_SPENT;
	}
	memcpy(entry.name, name, name_bytes);
	memcpy(entry.name + name_bytes, text, text_bytes);
	cache->free = cache->entries[index].older;
	cache->entries[index] = entry;
	link_newest(cache, index);
	return 0;
}

void demangle_cache_add(struct demangle_cache *cache, const char *name, const char *text)
{
	const uint64_t bytes = strlen(name) + strlen(text) + 2;

	if (bytes > DEMANGLE_CACHE_BYTES / 2)
		return;
	while (need_entry(cache) || budget_take(&cache->budget, bytes)) {
		if (cache->oldest == DEMANGLE_CACHE_NONE)
			return;
		evict_oldest(cache);
	}
	if (fill(cache, name, text))
		budget_give(&cache->budget, bytes);
}
