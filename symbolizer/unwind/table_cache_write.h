/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * table_cache_write - writes to the cache's file what its reader queued, in a thread of its own
 *
 * Nothing else writes to the file. The order is: first what the start found to be wrong, then marks
 * of use and of refusal, then new tables in the order in which they came. When a table does not
 * fit, the file is shrunk first: the least recently used entries go, the rest is moved together.
 */

#include "symbolizer/unwind/table_cache.h"

#define TABLE_CACHE_KEPT_BYTES   (TABLE_CACHE_BYTES / 4 * 3)
#define TABLE_CACHE_KEPT_ENTRIES (TABLE_CACHE_ENTRIES / 4 * 3)

_Static_assert(TABLE_CACHE_KEPT_BYTES + sizeof(struct table_cache_head) + TABLE_CACHE_ROWS_BYTES <=
		       TABLE_CACHE_BYTES,
	       "one more fits");

/* Whether there is something to write, or something is being written. By any thread. */
bool table_cache_write_is_pending(struct table_cache *cache);
/* Writes one mark or one table. Return: whether there was one. By one thread only. */
bool table_cache_write_next(struct table_cache *cache);
