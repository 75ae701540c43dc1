/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbol_store - the symbol tables of all files, by identity, within a byte budget
 */

#include "symbolizer/names/symbol_store.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "shared/clock.h"
#include "symbolizer/names/symbol_entries.h"

#define FORGET_AT_ONCE 32u /* entries, before their tables are unmapped without the mutex */

/* --- begin and end ---------------------------------------------------------------------------- */

int symbol_store_init(struct symbol_store *store, uint64_t bytes, const struct hash_seed *seed)
{
	pthread_condattr_t clock;
	int r;

	*store = (struct symbol_store){.budget.limit = bytes, .seed = seed};
	store->lookup.budget = &store->budget;
	r = pthread_mutex_init(&store->mutex, NULL);
	if (r)
		return -r;
	(void)pthread_condattr_init(&clock);
	(void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	r = pthread_cond_init(&store->answered, &clock);
	(void)pthread_condattr_destroy(&clock);
	if (!r)
		return 0;
	(void)pthread_mutex_destroy(&store->mutex);
	store->seed = NULL;
	return -r;
}

void symbol_store_deinit(struct symbol_store *store)
{
	if (!store->seed)
		return;
	for (uint32_t i = 0; i < store->count; i++) {
		struct symbol_table table, debug;

		symbol_entries_take_tables(store, &store->entries[i], &table, &debug);
		symbol_table_close(&table);
		symbol_table_close(&debug);
	}
	hash_index_deinit(&store->lookup);
	budget_drop(&store->budget, &store->entries, &store->capacity, sizeof(*store->entries));
	store->count = 0;
	store->seed = NULL;
	(void)pthread_cond_destroy(&store->answered);
	(void)pthread_mutex_destroy(&store->mutex);
}

/* --- what the parser is asked for, and its answers -------------------------------------------- */

static int begin(struct symbol_store *store, const struct tm_identity *identity, int64_t now_ms)
{
	uint32_t index = symbol_entries_find_or_add(store, identity);
	struct symbol_store_entry *entry;

	if (index == SYMBOL_STORE_NO_ENTRY)
		return SYMBOL_STORE_E_SPENT;
	entry = &store->entries[index];
	symbol_entries_touch(store, index);
	if (entry->state == SYMBOL_STORE_HAVE || entry->state == SYMBOL_STORE_NONE)
		return SYMBOL_STORE_E_SETTLED;
	if (entry->state == SYMBOL_STORE_ASKED ||
	    (entry->state == SYMBOL_STORE_FAILED && now_ms < entry->retry_ms))
		return SYMBOL_STORE_E_LATER;
	entry->state = SYMBOL_STORE_ASKED;
	symbol_entries_set_again(store, entry, false);
	return 0;
}

int symbol_store_begin(struct symbol_store *store, const struct tm_identity *identity,
		       int64_t now_ms)
{
	int r;

	(void)pthread_mutex_lock(&store->mutex);
	r = begin(store, identity, now_ms);
	(void)pthread_mutex_unlock(&store->mutex);
	return r;
}

/* The entry that was asked for gets its answer. */
static void settle(struct symbol_store *store, uint32_t index, enum symbol_store_state state,
		   enum tm_unnamed reason)
{
	struct symbol_store_entry *entry = &store->entries[index];

	entry->state = (uint8_t)state;
	entry->reason = (uint8_t)reason;
	entry->awaited = false;
	symbol_entries_touch(store, index);
	store->counts.made += state == SYMBOL_STORE_HAVE;
	store->counts.none += state == SYMBOL_STORE_NONE;
	store->counts.failed += state == SYMBOL_STORE_FAILED;
	(void)pthread_cond_broadcast(&store->answered);
}

void symbol_store_reclaim(struct symbol_store *store, uint64_t bytes)
{
	uint64_t freed = 0, more;

	(void)pthread_mutex_lock(&store->mutex);
	while (freed < bytes && (more = symbol_entries_evict(store, bytes - freed)))
		freed += more;
	(void)pthread_mutex_unlock(&store->mutex);
}

static void fail(struct symbol_store *store, uint32_t index, enum tm_unnamed reason, int64_t now_ms)
{
	struct symbol_store_entry *entry = &store->entries[index];
	int64_t pause = SYMBOL_STORE_PAUSE_MAX;

	if (entry->failures < 16 && SYMBOL_STORE_PAUSE_MS << entry->failures < pause)
		pause = SYMBOL_STORE_PAUSE_MS << entry->failures;
	if (entry->failures < UINT8_MAX)
		entry->failures++;
	entry->retry_ms = now_ms + pause;
	settle(store, index, SYMBOL_STORE_FAILED, reason);
}

/* A file with a .symtab has the names that its debug file would have. */
static uint8_t debug_state_of(const struct symbol_store *store, const struct symbol_table *table)
{
	const struct parser_symbol_table *header = table->header;
	bool names_one = header->build_id_bytes || header->debuglink != PARSER_NO_NAME;

	return store->wants_debug && !(header->flags & PARSER_SYMBOLS_HAS_SYMTAB) && names_one
		       ? SYMBOL_DEBUG_WANTED
		       : SYMBOL_DEBUG_UNWANTED;
}

void symbol_store_put(struct symbol_store *store, const struct tm_identity *identity, int fd,
		      int64_t now_ms)
{
	struct symbol_table table = SYMBOL_TABLE_NULL;
	bool checks = symbol_table_open(&table, fd) == 0;
	bool fits = budget_pages(table.region.bytes) <= store->budget.limit / 2;
	uint32_t index;

	(void)pthread_mutex_lock(&store->mutex);
	index = symbol_entries_find(store, identity);
	if (index != SYMBOL_STORE_NO_ENTRY && store->entries[index].state == SYMBOL_STORE_ASKED) {
		if (!checks) {
			settle(store, index, SYMBOL_STORE_NONE, TM_UNNAMED_MALFORMED);
		} else if (!fits) {
			settle(store, index, SYMBOL_STORE_NONE, TM_UNNAMED_MEMORY);
		} else if (!symbol_entries_charge(store, budget_pages(table.region.bytes))) {
			fail(store, index, TM_UNNAMED_MEMORY, now_ms);
		} else {
			store->entries[index].table = table;
			store->entries[index].debug_state = debug_state_of(store, &table);
			table = SYMBOL_TABLE_NULL;
			settle(store, index, SYMBOL_STORE_HAVE, TM_UNNAMED_NO_SYMBOL);
		}
	}
	(void)pthread_mutex_unlock(&store->mutex);
	symbol_table_close(&table);
}

void symbol_store_refuse(struct symbol_store *store, const struct tm_identity *identity,
			 enum tm_unnamed reason)
{
	uint32_t index;

	(void)pthread_mutex_lock(&store->mutex);
	index = symbol_entries_find(store, identity);
	if (index != SYMBOL_STORE_NO_ENTRY && store->entries[index].state == SYMBOL_STORE_ASKED)
		settle(store, index, SYMBOL_STORE_NONE, reason);
	(void)pthread_mutex_unlock(&store->mutex);
}

void symbol_store_fail(struct symbol_store *store, const struct tm_identity *identity,
		       enum tm_unnamed reason, int64_t now_ms)
{
	uint32_t index;

	(void)pthread_mutex_lock(&store->mutex);
	index = symbol_entries_find(store, identity);
	if (index != SYMBOL_STORE_NO_ENTRY && store->entries[index].state == SYMBOL_STORE_ASKED)
		fail(store, index, reason, now_ms);
	(void)pthread_mutex_unlock(&store->mutex);
}

int symbol_store_next_again(struct symbol_store *store, struct tm_identity *ret_identity)
{
	int r = SYMBOL_STORE_E_NONE;

	(void)pthread_mutex_lock(&store->mutex);
	for (uint32_t at = store->newest; at && store->again && r;
	     at = store->entries[at - 1].older) {
		struct symbol_store_entry *entry = &store->entries[at - 1];

		if (!entry->again)
			continue;
		symbol_entries_set_again(store, entry, false);
		*ret_identity = entry->identity;
		r = 0;
	}
	(void)pthread_mutex_unlock(&store->mutex);
	return r;
}

void symbol_store_give_up(struct symbol_store *store, const struct tm_identity *identity)
{
	uint32_t index;

	(void)pthread_mutex_lock(&store->mutex);
	index = symbol_entries_find(store, identity);
	if (index != SYMBOL_STORE_NO_ENTRY)
		store->entries[index].awaited = false;
	(void)pthread_cond_broadcast(&store->answered);
	(void)pthread_mutex_unlock(&store->mutex);
}

/* --- for a report ----------------------------------------------------------------------------- */

/* Why an entry without a table names nothing. */
static enum tm_unnamed reason_of(const struct symbol_store_entry *entry)
{
	switch (entry->state) {
	case SYMBOL_STORE_NONE:
	case SYMBOL_STORE_FAILED:
		return entry->reason;
	case SYMBOL_STORE_EVICTED:
		return TM_UNNAMED_EVICTED;
	default:
		return TM_UNNAMED_PENDING;
	}
}

void symbol_store_pin(struct symbol_store *store, const struct tm_identity *identity,
		      struct symbol_store_pin *ret_pin)
{
	struct symbol_store_entry *entry;
	uint32_t index;

	*ret_pin = (struct symbol_store_pin){.table = SYMBOL_TABLE_NULL,
					     .debug = SYMBOL_TABLE_NULL,
					     .entry = SYMBOL_STORE_NO_ENTRY,
					     .reason = TM_UNNAMED_PENDING};
	(void)pthread_mutex_lock(&store->mutex);
	index = symbol_entries_find(store, identity);
	if (index != SYMBOL_STORE_NO_ENTRY) {
		entry = &store->entries[index];
		symbol_entries_touch(store, index);
		ret_pin->reason = reason_of(entry);
		if (entry->state == SYMBOL_STORE_EVICTED || entry->state == SYMBOL_STORE_FAILED)
			symbol_entries_set_again(store, entry, true);
		if (entry->state == SYMBOL_STORE_HAVE) {
			ret_pin->table = entry->table;
			ret_pin->debug = entry->debug;
			ret_pin->entry = index;
			entry->pins++;
			store->pinned++;
		}
	}
	(void)pthread_mutex_unlock(&store->mutex);
}

void symbol_store_unpin(struct symbol_store *store, struct symbol_store_pin *pin)
{
	if (pin->entry == SYMBOL_STORE_NO_ENTRY)
		return;
	(void)pthread_mutex_lock(&store->mutex);
	store->entries[pin->entry].pins--;
	store->pinned--;
	(void)pthread_mutex_unlock(&store->mutex);
	pin->entry = SYMBOL_STORE_NO_ENTRY;
}

/* What is there becomes the newest, so that it is not evicted in favour of the others. */
static void await(struct symbol_store *store, const struct tm_identity *identities, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t index = symbol_entries_find(store, &identities[i]);

		if (index == SYMBOL_STORE_NO_ENTRY)
			continue;
		symbol_entries_touch(store, index);
		if (store->entries[index].state == SYMBOL_STORE_EVICTED) {
			store->entries[index].awaited = true;
			symbol_entries_set_again(store, &store->entries[index], true);
		}
	}
}

static bool all_have_ended(const struct symbol_store *store, const struct tm_identity *identities,
			   uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t index = symbol_entries_find(store, &identities[i]);

		if (index == SYMBOL_STORE_NO_ENTRY ||
		    store->entries[index].state == SYMBOL_STORE_ASKED ||
		    store->entries[index].awaited ||
		    store->entries[index].debug_state == SYMBOL_DEBUG_WANTED)
			return false;
	}
	return true;
}

bool symbol_store_wait(struct symbol_store *store, const struct tm_identity *identities,
		       uint32_t count, int64_t timeout_ms)
{
	uint64_t end_ns = tm_clock_ns() + (uint64_t)timeout_ms * 1000000;
	const struct timespec end = {(time_t)(end_ns / 1000000000), (long)(end_ns % 1000000000)};
	bool ended;
	int r = 0;

	(void)pthread_mutex_lock(&store->mutex);
	await(store, identities, count);
	while (!(ended = all_have_ended(store, identities, count)) && !r)
		r = pthread_cond_timedwait(&store->answered, &store->mutex, &end);
	(void)pthread_mutex_unlock(&store->mutex);
	return ended;
}

/* Forgets at most FORGET_AT_ONCE entries. Return: how many tables, the caller's now, are in
 * @ret_tables, null ones among them: two of each entry. */
static unsigned forget_idle(struct symbol_store *store, symbol_store_stays_fn *stays, void *context,
			    struct symbol_table ret_tables[2 * FORGET_AT_ONCE])
{
	static const struct tm_identity vdso = SYMBOL_STORE_VDSO; /* is never announced */
	const int64_t now_ms = (int64_t)tm_clock_ms();
	uint32_t at = SYMBOL_STORE_NO_ENTRY;
	unsigned count = 0;

	while (count < 2 * FORGET_AT_ONCE &&
	       (at = symbol_entries_idle(store, at, now_ms)) != SYMBOL_STORE_NO_ENTRY) {
		const struct symbol_store_entry *entry = &store->entries[at];
		const uint32_t before = entry->older;

		if (memcmp(&entry->identity, &vdso, sizeof(vdso)) == 0 ||
		    stays(context, &entry->identity))
			continue;
		symbol_entries_forget(store, at, &ret_tables[count], &ret_tables[count + 1]);
		count += 2;
		at = before ? before - 1 : SYMBOL_STORE_NO_ENTRY;
	}
	return count;
}

void symbol_store_end_report(struct symbol_store *store, symbol_store_stays_fn *stays,
			     void *context)
{
	struct symbol_table tables[2 * FORGET_AT_ONCE];
	unsigned count;

	(void)pthread_mutex_lock(&store->mutex);
	store->reports++;
	do {
		count = forget_idle(store, stays, context, tables);
		(void)pthread_mutex_unlock(&store->mutex);
		for (unsigned i = 0; i < count; i++)
			symbol_table_close(&tables[i]);
		(void)pthread_mutex_lock(&store->mutex);
	} while (count == 2 * FORGET_AT_ONCE);
	(void)pthread_mutex_unlock(&store->mutex);
}

struct symbol_store_counts symbol_store_take_counts(struct symbol_store *store)
{
	struct symbol_store_counts counts;

	(void)pthread_mutex_lock(&store->mutex);
	counts = store->counts;
	store->counts = (struct symbol_store_counts){0};
	(void)pthread_mutex_unlock(&store->mutex);
	return counts;
}
