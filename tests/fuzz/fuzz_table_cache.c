/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_table_cache - a hostile cache file: tables come back as they were stored, or not at all
 *
 * The first byte says what the rest is: the file itself, or changes to a valid file. A change has
 * four bytes: an offset of 24 bits, and the value that is exclusive-ored there.
 */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shared/region.h"
#include "symbolizer/unwind/table_cache_write.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/symbolizer/make_table.h"

#define ENTRIES 3u
#define CHANGE  4u

static const uint8_t pin[TM_SHA256_BYTES];

static void must(bool holds)
{
	if (!holds)
		abort();
}

static struct table_cache_key key_of(uint64_t ino)
{
	return (struct table_cache_key){.kind = TABLE_CACHE_UNWIND,
					.identity = {.dev = 1, .ino = ino, .size = 100}};
}

static void write_all(struct table_cache *cache)
{
	while (table_cache_write_next(cache))
		;
}

static void open_copy(struct table_cache *cache, int file)
{
	*cache = TABLE_CACHE_NULL;
	table_cache_open(cache, dup(file), pin);
	must(cache->fd >= 0);
	write_all(cache);
}

static void add(struct table_cache *cache, uint64_t ino, const struct table *table)
{
	const struct table_cache_key key = key_of(ino);
	struct tm_region rows = TM_REGION_NULL;
	int fd = tm_region_seal_blob("rows", table, sizeof(*table));

	must(fd >= 0);
	must(tm_region_open_blob(&rows, fd, TABLE_CACHE_TABLE_BYTES) == 0);
	table_cache_add(cache, &key, &rows);
	write_all(cache);
}

static void fill(int file)
{
	static struct table_cache cache;

	open_copy(&cache, file);
	for (uint32_t i = 1; i <= ENTRIES; i++) {
		const struct table table = table_at(0x100 * i);

		add(&cache, i, &table);
	}
	table_cache_close(&cache);
}

static void change(int file, const uint8_t *data, size_t bytes)
{
	off_t end = lseek(file, 0, SEEK_END);

	for (; bytes >= CHANGE; data += CHANGE, bytes -= CHANGE) {
		off_t at = ((off_t)data[0] | (off_t)data[1] << 8 | (off_t)data[2] << 16) % end;
		uint8_t byte;

		must(pread(file, &byte, 1, at) == 1);
		byte ^= data[3];
		must(pwrite(file, &byte, 1, at) == 1);
	}
}

/* @kept: the table that was stored; NULL: any. Return: whether one was found. */
static bool look_up(struct table_cache *cache, uint64_t ino, const struct table *kept)
{
	const struct table_cache_key key = key_of(ino);
	struct tm_region region = TM_REGION_NULL;
	struct tm_unwind_table_view view;
	int fd = table_cache_find(cache, &key);

	if (fd < 0)
		return false;
	must(tm_region_open_blob(&region, fd, TABLE_CACHE_TABLE_BYTES) == 0);
	must(tm_unwind_table_check(&view, region.addr, region.bytes) == 0);
	if (kept)
		must(region.bytes == sizeof(*kept) &&
		     memcmp(region.addr, kept, sizeof(*kept)) == 0);
	tm_region_close(&region);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	const struct table more = table_at(0x5000);
	int file = memfd_create("cache", MFD_CLOEXEC);
	static struct table_cache cache;

	must(file >= 0);
	if (bytes && data[0] & 1) {
		must(write(file, data + 1, bytes - 1) == (ssize_t)(bytes - 1));
	} else {
		fill(file);
		change(file, data + (bytes > 0), bytes ? bytes - 1 : 0);
	}
	open_copy(&cache, file);
	for (uint32_t i = 1; i <= ENTRIES; i++) {
		const struct table kept = table_at(0x100 * i);

		(void)look_up(&cache, i, &kept);
	}
	/* No input can forge an entry, so before it is added there is none. */
	must(!look_up(&cache, ENTRIES + 1, &more));
	add(&cache, ENTRIES + 1, &more);
	table_cache_close(&cache);
	open_copy(&cache, file);
	must(look_up(&cache, ENTRIES + 1, &more));
	table_cache_close(&cache);
	(void)close(file);
	return 0;
}
