/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbol_debug - the tables of separate debug files in the symbol store
 */

#include "symbolizer/names/symbol_debug.h"

#include <string.h>

#include "shared/path.h"

void symbol_debug_enable(struct symbol_store *store)
{
	store->wants_debug = true;
}

/* The entry whose table is here. NULL: there is none. The mutex is held. */
static struct symbol_store_entry *find(const struct symbol_store *store,
				       const struct tm_identity *identity)
{
	uint32_t index = symbol_entries_find(store, identity);
	bool here =
		index != SYMBOL_STORE_NO_ENTRY && store->entries[index].state == SYMBOL_STORE_HAVE;

	return here ? &store->entries[index] : NULL;
}

/* The last component of a path, if it is plain. */
static void copy_name(const struct symbol_table *table, uint32_t name, bool path,
		      char to[SYMBOL_DEBUG_NAME_MAX])
{
	const char *text = name == PARSER_NO_NAME ? "" : table->names + name;
	const char *slash = path ? strrchr(text, '/') : NULL;
	size_t bytes;

	text = slash ? slash + 1 : text;
	bytes = strlen(text) + 1;
	*to = '\0';
	if (bytes <= SYMBOL_DEBUG_NAME_MAX && tm_path_is_plain(text, bytes))
		memcpy(to, text, bytes);
}

static void copy_links(const struct symbol_store_entry *entry, struct symbol_debug_links *links)
{
	const struct symbol_table *own = &entry->table;
	const struct symbol_table *alt = entry->debug.header ? &entry->debug : own;

	*links = (struct symbol_debug_links){0};
	links->flags = own->header->flags;
	links->build_id_bytes = own->header->build_id_bytes;
	memcpy(links->build_id, own->header->build_id, sizeof(links->build_id));
	copy_name(own, own->header->debuglink, /* path= */ false, links->link);
	links->link_crc = own->header->debuglink_crc;
	links->alt_build_id_bytes = alt->header->altlink_build_id_bytes;
	memcpy(links->alt_build_id, alt->header->altlink_build_id, sizeof(links->alt_build_id));
	copy_name(alt, alt->header->altlink, /* path= */ true, links->alt);
}

int symbol_debug_links(struct symbol_store *store, const struct tm_identity *identity,
		       struct symbol_debug_links *ret_links)
{
	const struct symbol_store_entry *entry;

	(void)pthread_mutex_lock(&store->mutex);
	entry = find(store, identity);
	if (entry)
		copy_links(entry, ret_links);
	(void)pthread_mutex_unlock(&store->mutex);
	return entry ? 0 : SYMBOL_STORE_E_NONE;
}

bool symbol_debug_is_wanted(struct symbol_store *store, const struct tm_identity *identity)
{
	const struct symbol_store_entry *entry;
	bool wanted;

	(void)pthread_mutex_lock(&store->mutex);
	entry = find(store, identity);
	wanted = entry && entry->debug_state == SYMBOL_DEBUG_WANTED;
	(void)pthread_mutex_unlock(&store->mutex);
	return wanted;
}

bool symbol_debug_is_due(struct symbol_store *store, const struct tm_identity *identity,
			 int64_t now_ms)
{
	struct symbol_store_entry *entry;
	bool due;

	(void)pthread_mutex_lock(&store->mutex);
	entry = find(store, identity);
	due = entry && entry->debug_state == SYMBOL_DEBUG_MISSING &&
	      now_ms >= entry->debug_retry_ms;
	if (due)
		entry->debug_state = SYMBOL_DEBUG_ASKED;
	(void)pthread_mutex_unlock(&store->mutex);
	return due;
}

static bool is_asked(const struct symbol_store_entry *entry)
{
	return entry && (entry->debug_state == SYMBOL_DEBUG_WANTED ||
			 entry->debug_state == SYMBOL_DEBUG_ASKED);
}

/* Its own table must not be evicted for it. */
static bool charge(struct symbol_store *store, uint32_t index, uint64_t bytes)
{
	bool fits;

	store->entries[index].pins++;
	fits = symbol_entries_charge(store, bytes);
	store->entries[index].pins--;
	return fits;
}

bool symbol_debug_put(struct symbol_store *store, const struct tm_identity *identity,
		      struct symbol_table *table)
{
	bool used = false;
	uint32_t index;

	(void)pthread_mutex_lock(&store->mutex);
	index = symbol_entries_find(store, identity);
	if (is_asked(find(store, identity)) && table->region.bytes <= store->budget.limit / 2 &&
	    charge(store, index, budget_pages(table->region.bytes))) {
		struct symbol_store_entry *entry = &store->entries[index];

		entry->debug = *table;
		entry->debug_state = SYMBOL_DEBUG_HAVE;
		*table = SYMBOL_TABLE_NULL;
		used = true;
		(void)pthread_cond_broadcast(&store->answered);
	}
	(void)pthread_mutex_unlock(&store->mutex);
	symbol_table_close(table);
	return used;
}

void symbol_debug_end(struct symbol_store *store, const struct tm_identity *identity,
		      int64_t now_ms)
{
	struct symbol_store_entry *entry;
	int64_t pause_ms;

	(void)pthread_mutex_lock(&store->mutex);
	entry = find(store, identity);
	if (is_asked(entry)) {
		entry->debug_state = SYMBOL_DEBUG_MISSING;
		pause_ms = (int64_t)SYMBOL_DEBUG_PAUSE_MS << entry->debug_doublings;
		entry->debug_retry_ms =
			now_ms < INT64_MAX - pause_ms ? now_ms + pause_ms : INT64_MAX;
		if (entry->debug_doublings < SYMBOL_DEBUG_DOUBLINGS)
			entry->debug_doublings++;
		(void)pthread_cond_broadcast(&store->answered);
	}
	(void)pthread_mutex_unlock(&store->mutex);
}
