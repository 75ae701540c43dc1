/* SPDX-License-Identifier: Apache-2.0 */
/* warm_start - sends unwind tables of the cache before the first sample, the last used first */

#include "symbolizer/unwind/warm_start.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "shared/cleanup.h"
#include "shared/fdpass.h"
#include "shared/wire.h"

static int by_use(const void *left, const void *right)
{
	const struct table_cache_entry *a = left, *b = right;

	if (a->used != b->used)
		return a->used < b->used ? 1 : -1;
	return (a->at < b->at) - (a->at > b->at);
}

static bool may_be_ahead(const struct table_cache *cache, const struct table_cache_entry *entry)
{
	struct tm_identity identity = entry->key.identity;

	return entry->key.kind == TABLE_CACHE_UNWIND && entry->mark != TABLE_CACHE_MARK_DEAD &&
	       file_systems_unpin(&cache->systems, entry->key.pinned, &identity) &&
	       identity.dev >> FILE_SYSTEMS_MAJOR_SHIFT;
}

/* Leaves out what exceeds the limit. */
static void limit_bytes(struct warm_start *warm)
{
	uint64_t left = WARM_START_BYTES;
	uint32_t count = 0;

	for (uint32_t i = 0; i < warm->count; i++) {
		if (warm->entries[i].bytes > left)
			continue;
		left -= warm->entries[i].bytes;
		warm->entries[count++] = warm->entries[i];
	}
	warm->count = count;
}

/* Return: whether the cache's index is known. */
static bool list(struct warm_start *warm)
{
	struct table_cache *cache = warm->cache;
	bool known, none;

	(void)pthread_mutex_lock(&cache->lock);
	none = cache->fd < 0 || cache->failed;
	known = none || cache->start != TABLE_CACHE_UNREAD;
	if (known && !none && cache->count)
		warm->entries = calloc(cache->count, sizeof(*warm->entries));
	for (uint32_t i = 0; warm->entries && i < cache->count; i++)
		if (may_be_ahead(cache, &cache->entries[i]))
			warm->entries[warm->count++] = cache->entries[i];
	(void)pthread_mutex_unlock(&cache->lock);
	if (warm->count)
		qsort(warm->entries, warm->count, sizeof(*warm->entries), by_use);
	limit_bytes(warm);
	return known;
}

static enum warm_start_state ask_next(struct warm_start *warm)
{
	if (warm->next == warm->count)
		return WARM_START_LAST;
	return table_cache_ask_ahead(warm->cache, &warm->entries[warm->next++].key, &warm->request)
		       ? WARM_START_NEXT
		       : WARM_START_ASKED;
}

static enum warm_start_state take_answer(struct warm_start *warm, bool late)
{
	if (table_cache_answer(warm->cache, warm->request, &warm->table) == 0)
		return warm->table < 0 ? WARM_START_NEXT : WARM_START_FOUND;
	if (!late)
		return WARM_START_ASKED;
	table_cache_forget(warm->cache, warm->request);
	return WARM_START_LAST;
}

/* The table that was found, or that no other one comes. Return: the state behind it. */
static enum warm_start_state send_one(struct warm_start *warm)
{
	struct tm_wire message = {.kind = TM_WIRE_AHEAD};
	int r;

	if (warm->state == WARM_START_FOUND) {
		const struct table_cache_key *key = &warm->entries[warm->next - 1].key;
		struct tm_identity identity = key->identity;

		(void)file_systems_unpin(&warm->cache->systems, key->pinned, &identity);
		message.text_bytes = sizeof(identity);
		memcpy(message.text, &identity, sizeof(identity));
	}
	r = tm_fdpass_send(warm->wire, &message, sizeof(message), warm->table, MSG_DONTWAIT);
	if (r == TM_FDPASS_E_AGAIN || r == -ETOOMANYREFS)
		return warm->state;
	warm->table = tm_close(warm->table);
	return r || warm->state == WARM_START_LAST ? WARM_START_ENDED : WARM_START_NEXT;
}

/* Return: the next state; the same one: nothing more can be done now. */
static enum warm_start_state step(struct warm_start *warm, bool late)
{
	switch (warm->state) {
	case WARM_START_UNREAD:
		return late ? WARM_START_LAST : list(warm) ? WARM_START_NEXT : WARM_START_UNREAD;
	case WARM_START_NEXT:
		return late ? WARM_START_LAST : ask_next(warm);
	case WARM_START_ASKED:
		return take_answer(warm, late);
	case WARM_START_FOUND:
	case WARM_START_LAST:
		return send_one(warm);
	case WARM_START_ENDED:
		break;
	}
	return WARM_START_ENDED;
}

void warm_start_init(struct warm_start *warm, struct table_cache *cache, int wire)
{
	*warm = (struct warm_start){.cache = cache, .wire = wire, .table = -1};
}

void warm_start_deinit(struct warm_start *warm)
{
	if (warm->state == WARM_START_ASKED)
		table_cache_forget(warm->cache, warm->request);
	warm->state = WARM_START_ENDED;
	warm->table = tm_close(warm->table);
	free(warm->entries);
	warm->entries = NULL;
}

void warm_start_round(struct warm_start *warm, bool begun, uint64_t now_ms)
{
	enum warm_start_state before;

	if (begun)
		warm_start_deinit(warm);
	if (!warm->end_ms)
		warm->end_ms = now_ms + WARM_START_MS;
	do {
		before = warm->state;
		warm->state = step(warm, now_ms >= warm->end_ms);
	} while (warm->state != before || before == WARM_START_NEXT);
}

bool warm_start_must_send(const struct warm_start *warm)
{
	return warm->state == WARM_START_FOUND || warm->state == WARM_START_LAST;
}
