/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * table_cache_write - reads the index of the cache's file, and writes what was queued for it
 *
 * Nothing else writes to the file. The order is: first the index is read, then comes what was found
 * to be wrong with it, then marks of use and of refusal, then new tables in the order in which they
 * came. When a table does not fit, the file is shrunk first: the least recently used entries go,
 * the rest is moved together.
 */

#include "symbolizer/unwind/table_cache.h"

#define TABLE_CACHE_KEPT_BYTES   (TABLE_CACHE_BYTES / 4 * 3)
#define TABLE_CACHE_KEPT_ENTRIES (TABLE_CACHE_ENTRIES / 4 * 3)

_Static_assert(TABLE_CACHE_KEPT_BYTES + sizeof(struct table_cache_head) + TABLE_CACHE_TABLE_BYTES <=
		       TABLE_CACHE_BYTES,
	       "one more fits");

/* Whether there is something to write, or something is being written. By any thread. */
bool table_cache_write_is_pending(struct table_cache *cache);
/* The same; the lock is held. */
bool table_cache_must_write(const struct table_cache *cache);
/* Reads the index, or writes one mark or one table. Return: whether there was one. By one thread
 * only. */
bool table_cache_write_next(struct table_cache *cache);
