/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_cache - the parser's tables in one file, so that a restart need not have them made again
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
#include "shared/clock.h"
#include "shared/region.h"
#include "shared/unwind_table.h"
#include "symbolizer/parser/parser.h"

static uint64_t entry_bytes(uint32_t table_bytes)
{
	return sizeof(struct table_cache_head) + table_bytes;
}

/* --- the index --- */

static bool head_is_good(const struct table_cache_head *head, uint64_t room)
{
	return (head->state == TABLE_CACHE_LIVE || head->state == TABLE_CACHE_DEAD) &&
	       head->key.kind && head->key.kind < TABLE_CACHE_KINDS &&
	       head->bytes >= TABLE_CACHE_TABLE_MIN && head->bytes <= TABLE_CACHE_TABLE_BYTES &&
	       entry_bytes(head->bytes) <= room;
}

static void count_refusal(struct table_cache *cache)
{
	(void)pthread_mutex_lock(&cache->lock);
	cache->counts.refused++;
	(void)pthread_mutex_unlock(&cache->lock);
}

/* Every head that makes sense, up to the first that does not. */
static void read_heads(struct table_cache *cache, uint64_t file_bytes)
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
				.key = head.key,
				.at = cache->end,
				.used = head.used,
				.bytes = head.bytes,
			};
			memcpy(cache->entries[cache->count - 1].digest, head.digest,
			       TM_SHA256_BYTES);
			newest = head.used > newest ? head.used : newest;
		}
		cache->end += entry_bytes(head.bytes);
	}
	if (cache->end < file_bytes)
		count_refusal(cache);
	cache->session = newest < UINT64_MAX ? newest + 1 : newest;
}

int table_cache_read_index(struct table_cache *cache)
{
	struct table_cache_header *wanted = &cache->header, found;
	struct stat status;

	if (fstat(cache->fd, &status) < 0)
		return -errno;
	cache->end = sizeof(found);
	cache->session = 1;
	cache->begun_ms = tm_clock_ms();
	if (status.st_size < (off_t)sizeof(found) ||
	    table_cache_file_read(cache->fd, &found, sizeof(found), 0) < 0 ||
	    memcmp(found.magic, wanted->magic, sizeof(found.magic)) != 0 ||
	    memcmp(found.pin, wanted->pin, sizeof(found.pin)) != 0)
		return TABLE_CACHE_ANEW;
	*wanted = found;
	read_heads(cache, (uint64_t)status.st_size);
	return cache->end < (uint64_t)status.st_size ? TABLE_CACHE_CUT : TABLE_CACHE_AS_IT_IS;
}

int table_cache_pin(uint8_t ret_pin[TM_SHA256_BYTES], const struct file_systems *systems,
		    int parser)
{
	static const uint32_t formats[] = {TM_UNWIND_TABLE_MAGIC, PARSER_SYMBOLS_MAGIC};
	struct tm_identity program = {0};
	struct tm_sha256 digest;
	struct stat status;
	uint64_t pinned;

	if (fstat(parser, &status) < 0)
		return -errno;
	program.dev = file_systems_dev(status.st_dev);
	program.ino = status.st_ino;
	program.size = (uint64_t)status.st_size;
	program.mtime_sec = status.st_mtim.tv_sec;
	program.mtime_nsec = (uint32_t)status.st_mtim.tv_nsec;
	pinned = file_systems_pin(systems, &program);
	tm_sha256_init(&digest);
	tm_sha256_add(&digest, formats, sizeof(formats));
	tm_sha256_add(&digest, &program, sizeof(program));
	tm_sha256_add(&digest, &pinned, sizeof(pinned));
	tm_sha256_end(&digest, ret_pin);
	return 0;
}

struct table_cache_key table_cache_key(const struct table_cache *cache, enum table_cache_kind kind,
				       const struct tm_identity *identity)
{
	struct table_cache_key key = {.kind = kind, .identity = *identity};

	if (cache)
		key.pinned = file_systems_pin(&cache->systems, &key.identity);
	return key;
}

static bool is_unwind_table(const void *table, size_t bytes)
{
	struct tm_unwind_table_view view;

	return bytes % 8 == 0 && tm_unwind_table_check(&view, table, bytes) == 0;
}

void table_cache_set_check(struct table_cache *cache, enum table_cache_kind kind,
			   table_cache_check check)
{
	cache->checks[kind] = check;
}

static bool is_usable(int fd)
{
	int flags = fcntl(fd, F_GETFL);
	struct stat status;

	return flags >= 0 && (flags & O_ACCMODE) == O_RDWR && !(flags & O_PATH) &&
	       fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

/* The header of a file that is begun anew. */
static bool make_header(struct table_cache_header *header, const uint8_t pin[TM_SHA256_BYTES])
{
	memcpy(header->magic, TM_CACHE_MAGIC, sizeof(header->magic));
	memcpy(header->pin, pin, sizeof(header->pin));
	return getrandom(header->secret, sizeof(header->secret), 0) == sizeof(header->secret);
}

void table_cache_open(struct table_cache *cache, int fd, const uint8_t pin[TM_SHA256_BYTES])
{
	bool usable = is_usable(fd) && make_header(&cache->header, pin);

	(void)pthread_mutex_lock(&cache->lock);
	cache->checks[TABLE_CACHE_UNWIND] = is_unwind_table;
	cache->fd = fd;
	cache->start = TABLE_CACHE_UNREAD;
	cache->entries = calloc(TABLE_CACHE_ENTRIES, sizeof(*cache->entries));
	cache->queue = calloc(TABLE_CACHE_QUEUE_TABLES, sizeof(*cache->queue));
	if (!cache->entries || !cache->queue || !usable)
		table_cache_close(cache);
	(void)pthread_cond_signal(&cache->wake);
	(void)pthread_mutex_unlock(&cache->lock);
}

void table_cache_close(struct table_cache *cache)
{
	for (uint32_t i = 0; i < cache->queued; i++) {
		budget_give(&cache->budget, budget_pages(cache->queue[i].table.bytes));
		tm_region_close(&cache->queue[i].table);
	}
	for (uint32_t i = 0; i < TABLE_CACHE_REQUESTS; i++)
		if (cache->requests[i].state == TABLE_CACHE_REQUEST_ANSWERED)
			cache->requests[i].fd = tm_close(cache->requests[i].fd);
	memset(cache->requests, 0, sizeof(cache->requests));
	cache->fd = tm_close(cache->fd);
	free(cache->entries);
	free(cache->queue);
	cache->entries = NULL;
	cache->queue = NULL;
	cache->count = cache->queued = 0;
}

/* --- finding --- */

/* Whether the entry's bytes are in @region, sealed, and are a table. */
static bool is_good(const struct table_cache *cache, const struct table_cache_entry *entry,
		    const struct tm_region *region)
{
	const struct table_cache_head head = {.bytes = entry->bytes, .key = entry->key};
	table_cache_check check = cache->checks[entry->key.kind];
	uint8_t digest[TM_SHA256_BYTES];

	table_cache_file_digest(&cache->header, &head, region->addr, digest);
	return memcmp(digest, entry->digest, TM_SHA256_BYTES) == 0 && check &&
	       check(region->addr, region->bytes);
}

/* Return: a sealed table, or -1: the entry is to be refused. */
static int read_entry(const struct table_cache *cache, const struct table_cache_entry *entry)
{
	const uint64_t at = entry->at + sizeof(struct table_cache_head);
	struct tm_region region = TM_REGION_NULL;
	int fd = -1;

	if (tm_region_begin_blob(&region, "tidemark-table", entry->bytes) == 0 &&
	    table_cache_file_read(cache->fd, region.addr, entry->bytes, at) == 0 &&
	    tm_region_end_blob(&region) == 0 && is_good(cache, entry, &region))
		fd = TM_TAKE_FD(region.fd);
	tm_region_close(&region);
	return fd;
}

/* Under the lock. An entry that was refused is none. */
static struct table_cache_entry *find(const struct table_cache *cache,
				      const struct table_cache_key *key)
{
	if (cache->fd < 0 || cache->failed || cache->start == TABLE_CACHE_UNREAD)
		return NULL;
	for (uint32_t i = 0; i < cache->count; i++)
		if (memcmp(&cache->entries[i].key, key, sizeof(*key)) == 0 &&
		    cache->entries[i].mark != TABLE_CACHE_MARK_DEAD)
			return &cache->entries[i];
	return NULL;
}

bool table_cache_has(const struct table_cache *cache, const struct table_cache_key *key)
{
	return find(cache, key) != NULL;
}

/* Return: whether there is an entry, which can be read. */
static bool copy_entry(struct table_cache *cache, const struct table_cache_key *key,
		       struct table_cache_entry *ret_entry)
{
	const struct table_cache_entry *entry;

	(void)pthread_mutex_lock(&cache->lock);
	entry = find(cache, key);
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

/* Whatever is used by a service for months would count as used by one session. Under the lock. */
static void end_session(struct table_cache *cache)
{
	const uint64_t now_ms = tm_clock_ms();

	if (now_ms - cache->begun_ms < TABLE_CACHE_SESSION_MS || cache->session == UINT64_MAX)
		return;
	cache->begun_ms = now_ms;
	cache->session++;
}

static void note_use(struct table_cache *cache, const struct table_cache_key *key)
{
	struct table_cache_entry *entry;

	(void)pthread_mutex_lock(&cache->lock);
	end_session(cache);
	entry = find(cache, key);
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
	entry = find(cache, &read->key);
	if (entry && entry->at == read->at && !entry->moving) {
		mark(cache, entry, TABLE_CACHE_MARK_DEAD);
		cache->counts.refused++;
	}
	(void)pthread_mutex_unlock(&cache->lock);
}

int table_cache_find_ahead(struct table_cache *cache, const struct table_cache_key *key)
{
	struct table_cache_entry entry;

	while (copy_entry(cache, key, &entry)) {
		int fd = read_entry(cache, &entry);

		if (fd >= 0)
			return fd;
		refuse(cache, &entry);
	}
	return -1;
}

int table_cache_find(struct table_cache *cache, const struct table_cache_key *key)
{
	int fd = table_cache_find_ahead(cache, key);

	if (fd >= 0)
		note_use(cache, key);
	return fd;
}

/* --- keeping --- */

/* Under the lock. */
static bool is_queued(const struct table_cache *cache, const struct table_cache_key *key)
{
	for (uint32_t i = 0; i < cache->queued; i++)
		if (memcmp(&cache->queue[i].key, key, sizeof(*key)) == 0)
			return true;
	return false;
}

void table_cache_add(struct table_cache *cache, const struct table_cache_key *key,
		     struct tm_region *table)
{
	bool wanted =
		table->bytes >= TABLE_CACHE_TABLE_MIN && table->bytes <= TABLE_CACHE_TABLE_BYTES;

	(void)pthread_mutex_lock(&cache->lock);
	wanted = wanted && cache->fd >= 0 && !cache->failed && !find(cache, key) &&
		 !is_queued(cache, key);
	if (wanted && cache->queued < TABLE_CACHE_QUEUE_TABLES &&
	    budget_take(&cache->budget, budget_pages(table->bytes)) == 0) {
		cache->queue[cache->queued++] = (struct table_cache_addition){*key, *table};
		*table = TM_REGION_NULL;
		(void)pthread_cond_signal(&cache->wake);
	} else {
		cache->counts.dropped += wanted;
	}
	(void)pthread_mutex_unlock(&cache->lock);
	tm_region_close(table);
}

struct table_cache_counts table_cache_take_counts(struct table_cache *cache)
{
	struct table_cache_counts counts;

	(void)pthread_mutex_lock(&cache->lock);
	counts = cache->counts;
	cache->counts = (struct table_cache_counts){0};
	(void)pthread_cond_signal(&cache->wake); /* a pause may be over */
	(void)pthread_mutex_unlock(&cache->lock);
	return counts;
}
