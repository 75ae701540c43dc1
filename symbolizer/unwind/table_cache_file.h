/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * table_cache_file - whole reads and writes of the cache's file, and making room in it
 *
 * Behind table_cache.h. Return of each: 0, -errno (-EIO: the file is shorter, or the disk is full).
 */

#include "symbolizer/unwind/table_cache.h"

#define CACHE_KEPT_BYTES   (CACHE_BYTES / 4 * 3)
#define CACHE_KEPT_ENTRIES (CACHE_ENTRIES / 4 * 3)

_Static_assert(CACHE_KEPT_BYTES + sizeof(struct cache_head) + CACHE_ROWS_BYTES <= CACHE_BYTES,
	       "one more fits");

int cache_file_read(int fd, void *ret_bytes, size_t count, uint64_t at);
int cache_file_write(int fd, const void *bytes, size_t count, uint64_t at);
/* Drops what was not used for longest until as much is kept as stands above; moves the rest together. */
int cache_file_shrink(struct cache *cache);
