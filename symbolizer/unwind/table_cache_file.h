/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * table_cache_file - whole reads and writes of the cache's file, and making room in it
 *
 * Behind table_cache.h. Return of each: 0, -errno (-EIO: the file is shorter, or the disk is full).
 */

#include "symbolizer/unwind/table_cache.h"

#define TABLE_CACHE_KEPT_BYTES   (TABLE_CACHE_BYTES / 4 * 3)
#define TABLE_CACHE_KEPT_ENTRIES (TABLE_CACHE_ENTRIES / 4 * 3)

_Static_assert(TABLE_CACHE_KEPT_BYTES + sizeof(struct table_cache_head) + TABLE_CACHE_ROWS_BYTES <=
		       TABLE_CACHE_BYTES,
	       "one more fits");

int table_cache_file_read(int fd, void *ret_bytes, size_t count, uint64_t at);
int table_cache_file_write(int fd, const void *bytes, size_t count, uint64_t at);
/* Drops what was not used for longest until as much is kept as stands above; moves the rest together. */
int table_cache_file_shrink(struct table_cache *cache);
