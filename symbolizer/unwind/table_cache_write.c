/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_cache_write - reads the index of the cache's file, and writes what was queued for it
 */

#include "symbolizer/unwind/table_cache_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/clock.h"

enum task {
	TASK_NONE = 0,
	TASK_INDEX,
	TASK_START,
	TASK_MARK,
	TASK_ADD,
};

static void lock(struct table_cache *cache)
{
	(void)pthread_mutex_lock(&cache->lock);
}

static void unlock(struct table_cache *cache)
{
	(void)pthread_mutex_unlock(&cache->lock);
}

/* --- shrinking --- */

/* The last used first; of those, the last made. What was refused comes last. */
static int by_use(const void *left, const void *right)
{
	const struct table_cache_entry *a = left, *b = right;
	const bool a_dead = a->mark == TABLE_CACHE_MARK_DEAD;
	const bool b_dead = b->mark == TABLE_CACHE_MARK_DEAD;

	if (a_dead != b_dead)
		return a_dead ? 1 : -1;
	if (a->used != b->used)
		return a->used < b->used ? 1 : -1;
	return (a->at < b->at) - (a->at > b->at);
}

static int by_place(const void *left, const void *right)
{
	const struct table_cache_entry *a = left, *b = right;

	return (a->at > b->at) - (a->at < b->at);
}

/* Down to TABLE_CACHE_KEPT_*. Under the lock. */
static void drop_least_used(struct table_cache *cache)
{
	uint64_t kept = sizeof(struct table_cache_header);
	uint32_t count = 0;

	qsort(cache->entries, cache->count, sizeof(*cache->entries), by_use);
	cache->marks = 0;
	for (; count < cache->count && count < TABLE_CACHE_KEPT_ENTRIES; count++) {
		const struct table_cache_entry *entry = &cache->entries[count];

		kept += sizeof(struct table_cache_head) + entry->bytes;
		if (kept > TABLE_CACHE_KEPT_BYTES || entry->mark == TABLE_CACHE_MARK_DEAD)
			break;
		cache->marks += entry->mark != TABLE_CACHE_NO_MARK;
	}
	cache->count = count;
	qsort(cache->entries, cache->count, sizeof(*cache->entries), by_place);
}

/* Only the writer changes an entry's place, so it may read it without the lock. */
static int move_entry(struct table_cache *cache, struct table_cache_entry *entry, uint64_t to)
{
	uint64_t bytes = sizeof(struct table_cache_head) + entry->bytes;
	int r;

	if (entry->at == to)
		return 0;
	lock(cache);
	entry->moving = true;
	unlock(cache);
	r = table_cache_file_move(cache->fd, entry->at, to, bytes);
	if (r < 0)
		return r;
	lock(cache);
	entry->at = to;
	entry->moving = false;
	unlock(cache);
	return 0;
}

static int shrink(struct table_cache *cache)
{
	lock(cache);
	drop_least_used(cache);
	unlock(cache);
	cache->end = sizeof(struct table_cache_header);
	for (uint32_t i = 0; i < cache->count; i++) {
		struct table_cache_entry *entry = &cache->entries[i];
		int r = move_entry(cache, entry, cache->end);

		if (r < 0)
			return r;
		cache->end += sizeof(struct table_cache_head) + entry->bytes;
	}
	return ftruncate(cache->fd, (off_t)cache->end) < 0 ? -errno : 0;
}

/* --- one task --- */

static int write_start(struct table_cache *cache, enum table_cache_start start)
{
	uint64_t bytes = start == TABLE_CACHE_ANEW ? 0 : cache->end;

	if (ftruncate(cache->fd, (off_t)bytes) < 0)
		return -errno;
	if (start != TABLE_CACHE_ANEW)
		return 0;
	return table_cache_file_write(cache->fd, &cache->header, sizeof(cache->header), 0);
}

static int write_mark(const struct table_cache *cache, const struct table_cache_entry *entry)
{
	const uint32_t dead = TABLE_CACHE_DEAD;

	if (entry->mark == TABLE_CACHE_MARK_DEAD)
		return table_cache_file_write(cache->fd, &dead, sizeof(dead),
					      entry->at + offsetof(struct table_cache_head, state));
	return table_cache_file_write(cache->fd, &entry->used, sizeof(entry->used),
				      entry->at + offsetof(struct table_cache_head, used));
}

static int append(struct table_cache *cache, const struct table_cache_head *head, const void *table)
{
	/* The head last: without it there is no entry. */
	int r = table_cache_file_write(cache->fd, table, head->bytes, cache->end + sizeof(*head));

	if (r == 0)
		r = table_cache_file_write(cache->fd, head, sizeof(*head), cache->end);
	if (r < 0) /* what is left where this fails, too, ends the next walk */
		(void)!ftruncate(cache->fd, (off_t)cache->end);
	return r;
}

/* What was being moved is lost: the file is of no use any more. */
static void fail(struct table_cache *cache)
{
	lock(cache);
	cache->failed = true;
	unlock(cache);
}

static int write_addition(struct table_cache *cache, const struct table_cache_addition *addition)
{
	struct table_cache_head head = {.state = TABLE_CACHE_LIVE,
					.bytes = (uint32_t)addition->table.bytes,
					.used = cache->session,
					.key = addition->key};
	uint64_t bytes = sizeof(head) + head.bytes;
	struct table_cache_entry entry;
	int r = 0;

	if (cache->count == TABLE_CACHE_ENTRIES || cache->end + bytes > TABLE_CACHE_BYTES)
		r = shrink(cache);
	if (r < 0) {
		fail(cache);
		return r;
	}
	table_cache_file_digest(&cache->header, &head, addition->table.addr, head.digest);
	r = append(cache, &head, addition->table.addr);
	if (r < 0)
		return r;
	entry = (struct table_cache_entry){
		.key = head.key, .at = cache->end, .used = head.used, .bytes = head.bytes};
	memcpy(entry.digest, head.digest, sizeof(entry.digest));
	cache->end += bytes;
	lock(cache);
	cache->entries[cache->count++] = entry;
	unlock(cache);
	return 0;
}

/* --- the queue --- */

/* Takes the next mark out of the index, and a refused entry with it. Under the lock. */
static void take_mark(struct table_cache *cache, struct table_cache_entry *ret_entry)
{
	struct table_cache_entry *entry = cache->entries;

	while (entry->mark == TABLE_CACHE_NO_MARK)
		entry++;
	*ret_entry = *entry;
	entry->mark = TABLE_CACHE_NO_MARK;
	if (ret_entry->mark == TABLE_CACHE_MARK_DEAD)
		*entry = cache->entries[--cache->count];
	cache->marks--;
}

/* A table stays in the queue until it is in the index, so that it is not queued again. */
static enum task take(struct table_cache *cache, struct table_cache_entry *ret_marked,
		      struct table_cache_addition *ret_addition)
{
	enum task task = TASK_NONE;

	lock(cache);
	if (!table_cache_must_write(cache)) {
		task = TASK_NONE;
	} else if (cache->start == TABLE_CACHE_UNREAD) {
		task = TASK_INDEX;
	} else if (cache->start != TABLE_CACHE_AS_IT_IS) {
		task = TASK_START;
	} else if (cache->marks) {
		task = TASK_MARK;
		take_mark(cache, ret_marked);
	} else {
		task = TASK_ADD;
		*ret_addition = cache->queue[0];
	}
	cache->writing = task != TASK_NONE;
	unlock(cache);
	return task;
}

/* Under the lock. Return: its table, which is the caller's. */
static struct tm_region take_first(struct table_cache *cache)
{
	struct tm_region table = cache->queue[0].table;

	cache->queued--;
	budget_give(&cache->budget, budget_pages(table.bytes));
	memmove(cache->queue, cache->queue + 1, cache->queued * sizeof(cache->queue[0]));
	return table;
}

static void drop_queue(struct table_cache *cache)
{
	bool any = true;

	while (any) {
		struct tm_region table = TM_REGION_NULL;

		lock(cache);
		any = cache->queued > 0;
		if (any)
			table = take_first(cache);
		unlock(cache);
		tm_region_close(&table);
	}
}

/* A disk that is full now may have space later. Under the lock. */
static void note_failure(struct table_cache *cache, int r)
{
	cache->counts.unwritten++;
	if (r == -ENOSPC || r == -EDQUOT)
		cache->pause_end_ms = tm_clock_ms() + TABLE_CACHE_PAUSE_MS;
	else
		cache->failed = true;
}

/* @r: of TASK_INDEX, if it is not negative: enum table_cache_start. */
static void finish(struct table_cache *cache, enum task task, int r)
{
	struct tm_region table = TM_REGION_NULL;
	bool failed;

	lock(cache);
	if (r < 0)
		note_failure(cache, r);
	else if (task == TASK_INDEX)
		cache->start = (enum table_cache_start)r;
	else if (task == TASK_START)
		cache->start = TABLE_CACHE_AS_IT_IS;
	else if (task == TASK_ADD)
		table = take_first(cache);
	failed = cache->failed;
	cache->writing = false;
	unlock(cache);
	tm_region_close(&table);
	if (failed)
		drop_queue(cache);
}

bool table_cache_must_write(const struct table_cache *cache)
{
	return cache->fd >= 0 && !cache->failed && tm_clock_ms() >= cache->pause_end_ms &&
	       (cache->start != TABLE_CACHE_AS_IT_IS || cache->marks || cache->queued);
}

bool table_cache_write_is_pending(struct table_cache *cache)
{
	bool pending;

	lock(cache);
	pending = table_cache_must_write(cache) || cache->writing;
	unlock(cache);
	return pending;
}

bool table_cache_write_next(struct table_cache *cache)
{
	struct table_cache_addition addition;
	struct table_cache_entry marked;
	enum task task;
	int r = 0;

	task = take(cache, &marked, &addition);
	if (task == TASK_INDEX)
		r = table_cache_read_index(cache);
	else if (task == TASK_START)
		r = write_start(cache, cache->start);
	else if (task == TASK_MARK)
		r = write_mark(cache, &marked);
	else if (task == TASK_ADD)
		r = write_addition(cache, &addition);
	else
		return false;
	finish(cache, task, r);
	return true;
}
