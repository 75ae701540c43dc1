/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_cache_file - the layout of the cache's file, whole reads and writes, and making room in it
 */

#include "symbolizer/unwind/table_cache_file.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define COPY_BYTES (64u << 10)

int table_cache_file_read(int fd, void *ret_bytes, size_t count, uint64_t at)
{
	char *to = ret_bytes;

	while (count) {
		ssize_t n = pread(fd, to, count, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		to += n;
		at += (uint64_t)n;
		count -= (size_t)n;
	}
	return 0;
}

int table_cache_file_write(int fd, const void *bytes, size_t count, uint64_t at)
{
	const char *from = bytes;

	while (count) {
		ssize_t n = pwrite(fd, from, count, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		from += n;
		at += (uint64_t)n;
		count -= (size_t)n;
	}
	return 0;
}

/* The last used first; of those, the last made. */
static int by_use(const void *left, const void *right)
{
	const struct table_cache_entry *a = left, *b = right;

	if (a->used != b->used)
		return a->used < b->used ? 1 : -1;
	return (a->at < b->at) - (a->at > b->at);
}

static int by_place(const void *left, const void *right)
{
	const struct table_cache_entry *a = left, *b = right;

	return (a->at > b->at) - (a->at < b->at);
}

/* Always towards the beginning, so front to back. */
static int move(int fd, uint64_t from, uint64_t to, uint64_t count)
{
	static char part[COPY_BYTES];

	while (count) {
		size_t bytes = count < sizeof(part) ? (size_t)count : sizeof(part);
		int r = table_cache_file_read(fd, part, bytes, from);

		if (r == 0)
			r = table_cache_file_write(fd, part, bytes, to);
		if (r < 0)
			return r;
		from += bytes;
		to += bytes;
		count -= bytes;
	}
	return 0;
}

int table_cache_file_shrink(struct table_cache *cache)
{
	uint64_t kept = sizeof(struct table_cache_header);
	uint32_t count = 0;

	qsort(cache->entries, cache->count, sizeof(*cache->entries), by_use);
	for (; count < cache->count && count < TABLE_CACHE_KEPT_ENTRIES; count++) {
		kept += sizeof(struct table_cache_head) + cache->entries[count].bytes;
		if (kept > TABLE_CACHE_KEPT_BYTES)
			break;
	}
	cache->count = count;
	qsort(cache->entries, cache->count, sizeof(*cache->entries), by_place);
	cache->end = sizeof(struct table_cache_header);
	for (uint32_t i = 0; i < cache->count; i++) {
		struct table_cache_entry *entry = &cache->entries[i];
		uint64_t bytes = sizeof(struct table_cache_head) + entry->bytes;
		int r = entry->at == cache->end ? 0 : move(cache->fd, entry->at, cache->end, bytes);

		if (r < 0)
			return r;
		entry->at = cache->end;
		cache->end += bytes;
	}
	return ftruncate(cache->fd, (off_t)cache->end) < 0 ? -errno : 0;
}
