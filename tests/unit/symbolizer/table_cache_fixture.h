/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * table_cache_fixture - a table cache in a memfd, which tests open repeatedly
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/region.h"
#include "symbolizer/unwind/table_cache.h"
#include "symbolizer/unwind/table_cache_write.h"
#include "tests/unit/symbolizer/make_table.h"

static const uint8_t pin[TM_SHA256_BYTES] = {1, 2, 3};
static struct table_cache cache;
static int file; /* the cache has a descriptor of its own */

/* Writes what is queued, which another thread does in the program. */
static inline void write_all(void)
{
	while (table_cache_write_next(&cache))
		;
	assert_false(table_cache_write_is_pending(&cache));
}

static inline void open_again(void)
{
	write_all();
	table_cache_close(&cache);
	cache = TABLE_CACHE_NULL;
	table_cache_open(&cache, dup(file), pin);
	assert_true(cache.fd >= 0);
	write_all();
}

static inline int begin(void **state)
{
	file = memfd_create("cache", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	assert_true(file >= 0);
	cache = TABLE_CACHE_NULL;
	open_again();
	return 0;
}

static inline int end(void **state)
{
	table_cache_close(&cache);
	(void)close(file);
	return 0;
}

static inline struct tm_identity identity_of(uint64_t ino)
{
	return (struct tm_identity){.dev = 8,
				    .ino = ino,
				    .size = 100,
				    .mtime_sec = 5,
				    .mtime_nsec = 6,
				    .generation = 7};
}

static inline struct table_cache_key key_of(uint64_t ino)
{
	return (struct table_cache_key){TABLE_CACHE_UNWIND, identity_of(ino)};
}

static inline struct tm_region sealed(const void *table, size_t bytes)
{
	struct tm_region region = TM_REGION_NULL;
	int fd = tm_region_seal_blob("table", table, bytes);

	assert_true(fd >= 0);
	assert_int_equal(tm_region_open_blob(&region, fd, TM_UNWIND_TABLE_BYTES_MAX), 0);
	return region;
}

static inline void queue(uint64_t ino, uint32_t start)
{
	const struct table_cache_key key = key_of(ino);
	const struct table table = table_at(start);
	struct tm_region rows = sealed(&table, sizeof(table));

	table_cache_add(&cache, &key, &rows);
	assert_null(rows.addr);
}

static inline void add(uint64_t ino, uint32_t start)
{
	queue(ino, start);
	write_all();
}

/* The start of the first row that is found; 0: no table is found. */
static inline uint32_t found_of(const struct table_cache_key *key)
{
	struct tm_region region = TM_REGION_NULL;
	struct tm_unwind_table_view view;
	int fd = table_cache_find(&cache, key);
	uint32_t start;

	if (fd < 0)
		return 0;
	assert_int_equal(tm_region_open_blob(&region, fd, TM_UNWIND_TABLE_BYTES_MAX), 0);
	assert_int_equal(tm_unwind_table_check(&view, region.addr, region.bytes), 0);
	start = view.starts[0];
	tm_region_close(&region);
	return start;
}

static inline uint32_t found(uint64_t ino)
{
	const struct table_cache_key key = key_of(ino);

	return found_of(&key);
}

static inline off_t file_bytes(void)
{
	struct stat status;

	assert_int_equal(fstat(file, &status), 0);
	return status.st_size;
}

static inline off_t place(unsigned entry)
{
	return (off_t)(sizeof(struct table_cache_header) +
		       entry * (sizeof(struct table_cache_head) + sizeof(struct table)));
}

static inline void flip(off_t at)
{
	uint8_t byte;

	assert_int_equal(pread(file, &byte, 1, at), 1);
	byte ^= 1;
	assert_int_equal(pwrite(file, &byte, 1, at), 1);
}

#define of_its_own(test) cmocka_unit_test_setup_teardown(test, begin, end)
