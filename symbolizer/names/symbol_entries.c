/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbol_entries - the entries of the symbol store, in the order of their use
 */

#include "symbolizer/names/symbol_entries.h"

#include <string.h>

#include "shared/clock.h"

#define FREE_ENTRY \
	((struct symbol_store_entry){.table = SYMBOL_TABLE_NULL, .debug = SYMBOL_TABLE_NULL})

static void unlink_entry(struct symbol_store *store, uint32_t index)
{
	struct symbol_store_entry *entry = &store->entries[index];

	*(entry->older ? &store->entries[entry->older - 1].newer : &store->oldest) = entry->newer;
	*(entry->newer ? &store->entries[entry->newer - 1].older : &store->newest) = entry->older;
}

static void link_newest(struct symbol_store *store, uint32_t index)
{
	struct symbol_store_entry *entry = &store->entries[index];

	entry->used_ms = (int64_t)tm_clock_ms();
	entry->used_report = store->reports;
	entry->newer = 0;
	entry->older = store->newest;
	*(store->newest ? &store->entries[store->newest - 1].newer : &store->oldest) = index + 1;
	store->newest = index + 1;
}

void symbol_entries_touch(struct symbol_store *store, uint32_t index)
{
	unlink_entry(store, index);
	link_newest(store, index);
}

static uint32_t hash_of(const struct symbol_store *store, const struct tm_identity *identity)
{
	return hash_bytes(store->seed, identity, sizeof(*identity));
}

uint32_t symbol_entries_find(const struct symbol_store *store, const struct tm_identity *identity)
{
	struct hash_index_walk walk = hash_index_start(hash_of(store, identity));
	uint32_t index;

	while ((index = hash_index_next(&store->lookup, &walk)) != HASH_INDEX_NONE)
		if (memcmp(&store->entries[index].identity, identity, sizeof(*identity)) == 0)
			return index;
	return SYMBOL_STORE_NO_ENTRY;
}

void symbol_entries_set_again(struct symbol_store *store, struct symbol_store_entry *entry,
			      bool again)
{
	store->again += (uint32_t)again - entry->again;
	entry->again = again;
}

uint32_t symbol_entries_oldest(const struct symbol_store *store, unsigned states)
{
	for (uint32_t at = store->oldest; at; at = store->entries[at - 1].newer)
		if (!store->entries[at - 1].pins && states & 1u << store->entries[at - 1].state)
			return at - 1;
	return SYMBOL_STORE_NO_ENTRY;
}

static bool is_idle(const struct symbol_store *store, const struct symbol_store_entry *entry,
		    int64_t now_ms)
{
	return now_ms - entry->used_ms >= SYMBOL_STORE_IDLE_MS &&
	       store->reports - entry->used_report > SYMBOL_STORE_IDLE_REPORTS;
}

uint32_t symbol_entries_idle(const struct symbol_store *store, uint32_t after, int64_t now_ms)
{
	uint32_t at = after == SYMBOL_STORE_NO_ENTRY ? store->oldest : store->entries[after].newer;

	/* Behind one that is not idle all were used later. */
	for (; at && is_idle(store, &store->entries[at - 1], now_ms);
	     at = store->entries[at - 1].newer)
		if (!store->entries[at - 1].pins &&
		    store->entries[at - 1].state != SYMBOL_STORE_ASKED)
			return at - 1;
	return SYMBOL_STORE_NO_ENTRY;
}

/* What both tables take. */
static uint64_t bytes_of(const struct symbol_table *table, const struct symbol_table *debug)
{
	return budget_pages(table->region.bytes) + budget_pages(debug->region.bytes);
}

void symbol_entries_take_tables(struct symbol_store *store, struct symbol_store_entry *entry,
				struct symbol_table *ret_table, struct symbol_table *ret_debug)
{
	*ret_table = entry->table;
	*ret_debug = entry->debug;
	entry->table = entry->debug = SYMBOL_TABLE_NULL;
	entry->debug_state = SYMBOL_DEBUG_UNWANTED;
	budget_give(&store->budget, bytes_of(ret_table, ret_debug));
}

/* The least recently used table of at least @least bytes; of any size where there is no such. */
static uint32_t victim(const struct symbol_store *store, uint64_t least)
{
	for (uint32_t at = store->oldest; at; at = store->entries[at - 1].newer) {
		const struct symbol_store_entry *entry = &store->entries[at - 1];

		if (!entry->pins && entry->state == SYMBOL_STORE_HAVE &&
		    bytes_of(&entry->table, &entry->debug) >= least)
			return at - 1;
	}
	return least ? victim(store, 0) : SYMBOL_STORE_NO_ENTRY;
}

uint64_t symbol_entries_evict(struct symbol_store *store, uint64_t wanted)
{
	uint32_t index = victim(store, wanted / SYMBOL_STORE_SMALL);
	struct symbol_table table, debug;
	uint64_t bytes;

	if (index == SYMBOL_STORE_NO_ENTRY)
		return 0;
	symbol_entries_take_tables(store, &store->entries[index], &table, &debug);
	bytes = bytes_of(&table, &debug);
	store->entries[index].state = SYMBOL_STORE_EVICTED;
	store->counts.evicted++;
	(void)pthread_mutex_unlock(&store->mutex);
	symbol_table_close(&table);
	symbol_table_close(&debug);
	(void)pthread_mutex_lock(&store->mutex);
	return bytes;
}

bool symbol_entries_charge(struct symbol_store *store, uint64_t bytes)
{
	while (budget_take(&store->budget, bytes))
		if (!symbol_entries_evict(store, bytes))
			return false;
	return true;
}

void symbol_entries_forget(struct symbol_store *store, uint32_t index,
			   struct symbol_table *ret_table, struct symbol_table *ret_debug)
{
	struct symbol_store_entry *entry = &store->entries[index];

	symbol_entries_take_tables(store, entry, ret_table, ret_debug);
	hash_index_remove(&store->lookup, hash_of(store, &entry->identity), index);
	unlink_entry(store, index);
	symbol_entries_set_again(store, entry, false);
	*entry = FREE_ENTRY;
	entry->older = store->free;
	store->free = index + 1;
}

static uint32_t add(struct symbol_store *store, const struct tm_identity *identity)
{
	uint32_t index;

	if (!store->free) {
		if (store->count == SYMBOL_STORE_ENTRIES ||
		    budget_grow(&store->budget, &store->entries, &store->capacity, store->count + 1,
				sizeof(*store->entries)))
			return SYMBOL_STORE_NO_ENTRY;
		store->entries[store->count++] = FREE_ENTRY;
		store->free = store->count;
	}
	index = store->free - 1;
	if (hash_index_add(&store->lookup, hash_of(store, identity), index))
		return SYMBOL_STORE_NO_ENTRY;
	store->free = store->entries[index].older;
	store->entries[index] = FREE_ENTRY;
	store->entries[index].identity = *identity;
	link_newest(store, index);
	return index;
}

uint32_t symbol_entries_find_or_add(struct symbol_store *store, const struct tm_identity *identity)
{
	uint32_t index = symbol_entries_find(store, identity);
	struct symbol_table table, debug;

	if (index == SYMBOL_STORE_NO_ENTRY)
		index = add(store, identity);
	if (index == SYMBOL_STORE_NO_ENTRY) {
		index = symbol_entries_oldest(store, ~(1u << SYMBOL_STORE_ASKED));
		if (index == SYMBOL_STORE_NO_ENTRY)
			return index;
		store->counts.evicted += store->entries[index].state == SYMBOL_STORE_HAVE;
		symbol_entries_forget(store, index, &table, &debug);
		symbol_table_close(&table);
		symbol_table_close(&debug);
		index = add(store, identity);
	}
	return index;
}
