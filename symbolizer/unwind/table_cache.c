/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_cache - tables of rows in one file, so that a restart need not have them made again
 */

#include "symbolizer/unwind/table_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "shared/region.h"
#include "shared/unwind_table.h"

static uint64_t entry_bytes(uint32_t rows_bytes)
{
	return sizeof(struct table_cache_head) + rows_bytes;
}

/* --- the index --- */

static bool head_is_good(const struct table_cache_head *head, uint64_t room)
{
	return (head->state == TABLE_CACHE_LIVE || head->state == TABLE_CACHE_DEAD) &&
	       head->bytes >= sizeof(struct tm_unwind_table) &&
	       head->bytes <= TABLE_CACHE_ROWS_BYTES && head->bytes % 8 == 0 &&
	       entry_bytes(head->bytes) <= room;
}

/* Every head that makes sense, up to the first that does not. */
static void read_index(struct table_cache *cache, uint64_t file_bytes)
{
	struct table_cache_head head;
	uint64_t newest = 0;

	if (file_bytes > TABLE_CACHE_BYTES)
		file_bytes = TABLE_CACHE_BYTES;
	while (cache->count < TABLE_CACHE_ENTRIES && file_bytes - cache->end >= sizeof(head)) {
		if (table_cache_file_read(cache->fd, &head, sizeof(head), cache->end) < 0 ||
		    !head_is_good(&head, file_bytes - cache->end))
			break;
		if (head.state == TABLE_CACHE_LIVE) {
			cache->entries[cache->count++] = (struct table_cache_entry){
				.identity = head.identity,
				.at = cache->end,
				.used = head.used,
				.bytes = head.bytes,
			};
			memcpy(cache->entries[cache->count - 1].digest, head.digest, SHA256_BYTES);
			newest = head.used > newest ? head.used : newest;
		}
		cache->end += entry_bytes(head.bytes);
	}
	cache->refused += cache->end < file_bytes;
	cache->session = newest < UINT64_MAX ? newest + 1 : newest;
}

/* Return: 0, -errno. */
static int begin_anew(struct table_cache *cache, const uint8_t pin[SHA256_BYTES])
{
	struct table_cache_header *header = &cache->header;

	memcpy(header->magic, TM_CACHE_MAGIC, sizeof(header->magic));
	memcpy(header->pin, pin, sizeof(header->pin));
	if (getrandom(header->secret, sizeof(header->secret), 0) != sizeof(header->secret))
		return -EIO;
	cache->start = TABLE_CACHE_ANEW;
	return 0;
}

static int read_file(struct table_cache *cache, const uint8_t pin[SHA256_BYTES])
{
	struct stat status;
	int flags = fcntl(cache->fd, F_GETFL);

	if (flags < 0 || (flags & O_ACCMODE) != O_RDWR || flags & O_PATH ||
	    fstat(cache->fd, &status) < 0 || !S_ISREG(status.st_mode))
		return -EBADF;
	cache->end = sizeof(cache->header);
	cache->session = 1;
	if (status.st_size < (off_t)sizeof(cache->header) ||
	    table_cache_file_read(cache->fd, &cache->header, sizeof(cache->header), 0) < 0 ||
	    memcmp(cache->header.magic, TM_CACHE_MAGIC, sizeof(cache->header.magic)) != 0 ||
	    memcmp(cache->header.pin, pin, SHA256_BYTES) != 0)
		return begin_anew(cache, pin);
	read_index(cache, (uint64_t)status.st_size);
	if (cache->end < (uint64_t)status.st_size)
		cache->start = TABLE_CACHE_CUT;
	return 0;
}

int table_cache_pin(uint8_t ret_pin[SHA256_BYTES], const char *boot_id, int parser)
{
	const uint32_t kind = TM_UNWIND_TABLE_MAGIC;
	struct sha256 digest;
	struct stat status;

	if (fstat(parser, &status) < 0)
		return -errno;
	sha256_init(&digest);
	sha256_add(&digest, &kind, sizeof(kind));
	sha256_add(&digest, &status.st_dev, sizeof(status.st_dev));
	sha256_add(&digest, &status.st_ino, sizeof(status.st_ino));
	sha256_add(&digest, &status.st_size, sizeof(status.st_size));
	sha256_add(&digest, &status.st_mtim.tv_sec, sizeof(status.st_mtim.tv_sec));
	sha256_add(&digest, &status.st_mtim.tv_nsec, sizeof(status.st_mtim.tv_nsec));
	sha256_add(&digest, boot_id, strlen(boot_id));
	sha256_end(&digest, ret_pin);
	return 0;
}

void table_cache_open(struct table_cache *cache, int fd, const uint8_t pin[SHA256_BYTES])
{
	*cache = TABLE_CACHE_NULL;
	cache->fd = fd;
	cache->entries = calloc(TABLE_CACHE_ENTRIES, sizeof(*cache->entries));
	cache->queue = calloc(TABLE_CACHE_QUEUE_TABLES, sizeof(*cache->queue));
	if (!cache->entries || !cache->queue || read_file(cache, pin) < 0)
		table_cache_close(cache);
}

void table_cache_close(struct table_cache *cache)
{
	for (uint32_t i = 0; i < cache->queued; i++)
		tm_region_close(&cache->queue[i].rows);
	cache->fd = tm_close(cache->fd);
	free(cache->entries);
	free(cache->queue);
	cache->entries = NULL;
	cache->queue = NULL;
	cache->count = cache->queued = 0;
}

/* --- finding --- */

static int is_table(const void *rows, size_t bytes)
{
	struct tm_unwind_table_view view;

	return tm_unwind_table_check(&view, rows, bytes) == 0;
}

/* Return: a sealed table, or -1: the entry is to be refused. */
static int read_entry(const struct table_cache *cache, const struct table_cache_entry *entry)
{
	const struct table_cache_head head = {.bytes = entry->bytes, .identity = entry->identity};
	uint8_t digest[SHA256_BYTES];
	void *rows = malloc(entry->bytes);
	int fd = -1;

	if (rows &&
	    table_cache_file_read(cache->fd, rows, entry->bytes, entry->at + sizeof(head)) == 0) {
		table_cache_file_digest(&cache->header, &head, rows, digest);
		if (memcmp(digest, entry->digest, SHA256_BYTES) == 0 &&
		    is_table(rows, entry->bytes))
			fd = tm_region_seal_blob("tidemark-rows", rows, entry->bytes);
	}
	free(rows);
	return fd < 0 ? -1 : fd;
}

/* Under the lock. An entry that was refused is none. */
static struct table_cache_entry *find(const struct table_cache *cache,
				      const struct tm_identity *identity)
{
	for (uint32_t i = 0; i < cache->count; i++)
		if (memcmp(&cache->entries[i].identity, identity, sizeof(*identity)) == 0 &&
		    cache->entries[i].mark != TABLE_CACHE_MARK_DEAD)
			return &cache->entries[i];
	return NULL;
}

/* Return: whether there is an entry, which can be read. */
static bool copy_entry(struct table_cache *cache, const struct tm_identity *identity,
		       struct table_cache_entry *ret_entry)
{
	const struct table_cache_entry *entry;

	if (cache->fd < 0)
		return false;
	(void)pthread_mutex_lock(&cache->lock);
	entry = cache->failed ? NULL : find(cache, identity);
	if (entry && entry->moving)
		entry = NULL;
	if (entry)
		*ret_entry = *entry;
	(void)pthread_mutex_unlock(&cache->lock);
	return entry != NULL;
}

/* Under the lock. */
static void mark(struct table_cache *cache, struct table_cache_entry *entry,
		 enum table_cache_mark mark)
{
	cache->marks += entry->mark == TABLE_CACHE_NO_MARK;
	entry->mark = mark;
}

static void note_use(struct table_cache *cache, const struct tm_identity *identity)
{
	struct table_cache_entry *entry;

	(void)pthread_mutex_lock(&cache->lock);
	entry = find(cache, identity);
	if (entry && entry->used != cache->session) {
		entry->used = cache->session;
		mark(cache, entry, TABLE_CACHE_MARK_USED);
	}
	(void)pthread_mutex_unlock(&cache->lock);
}

/* Not to be met again, unless it was moved while it was read: @read is the copy from before. */
static void refuse(struct table_cache *cache, const struct table_cache_entry *read)
{
	struct table_cache_entry *entry;

	(void)pthread_mutex_lock(&cache->lock);
	entry = find(cache, &read->identity);
	if (entry && entry->at == read->at && !entry->moving) {
		mark(cache, entry, TABLE_CACHE_MARK_DEAD);
		cache->refused++;
	}
	(void)pthread_mutex_unlock(&cache->lock);
}

int table_cache_find(struct table_cache *cache, const struct tm_identity *identity)
{
	struct table_cache_entry entry;

	while (copy_entry(cache, identity, &entry)) {
		int fd = read_entry(cache, &entry);

		if (fd >= 0) {
			note_use(cache, identity);
			return fd;
		}
		refuse(cache, &entry);
	}
	return -1;
}

/* --- keeping --- */

/* Under the lock. */
static bool is_queued(const struct table_cache *cache, const struct tm_identity *identity)
{
	for (uint32_t i = 0; i < cache->queued; i++)
		if (memcmp(&cache->queue[i].identity, identity, sizeof(*identity)) == 0)
			return true;
	return false;
}

void table_cache_add(struct table_cache *cache, const struct tm_identity *identity,
		     struct tm_region *rows)
{
	bool wanted = cache->fd >= 0 && rows->bytes <= TABLE_CACHE_ROWS_BYTES;

	(void)pthread_mutex_lock(&cache->lock);
	wanted = wanted && !cache->failed && !find(cache, identity) && !is_queued(cache, identity);
	if (wanted && cache->queued < TABLE_CACHE_QUEUE_TABLES &&
	    budget_take(&cache->budget, budget_pages(rows->bytes)) == 0) {
		cache->queue[cache->queued++] = (struct table_cache_addition){*identity, *rows};
		*rows = TM_REGION_NULL;
	} else {
		cache->dropped += wanted;
	}
	(void)pthread_mutex_unlock(&cache->lock);
	tm_region_close(rows);
}
