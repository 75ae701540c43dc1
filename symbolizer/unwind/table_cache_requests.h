/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * table_cache_requests - what the reader of the samples asks the cache for, and never waits for
 *
 * Order      unwind tables go before other kinds; of one kind, the first request goes first.
 * Limits     TABLE_CACHE_REQUESTS. An answer that has not come after TABLE_CACHE_WAIT_MS comes too
 *            late, which is counted: the parser is asked instead. From then on until the disk has
 *            done something, nothing more is asked for.
 * Threads    the reader calls all but the last two, which are the cache's thread's.
 */

#include "symbolizer/unwind/table_cache.h"

#define TABLE_CACHE_WAIT_MS 500

enum {
	TABLE_CACHE_E_NONE = 1,
	TABLE_CACHE_E_LATER = 2,
};

/*
 * Return: 0: *ret_request is to be given to table_cache_answer until that returns 0, or to
 * table_cache_forget; TABLE_CACHE_E_NONE: the cache has no such table, or cannot be asked.
 */
int table_cache_ask(struct table_cache *cache, const struct table_cache_key *key,
		    uint32_t *ret_request);
/* The same for a file that was not sampled yet: that does not count as a use. */
int table_cache_ask_ahead(struct table_cache *cache, const struct table_cache_key *key,
			  uint32_t *ret_request);
/*
 * Return: 0: the request is over, and *ret_fd is a sealed table that checks, the caller's, or -1;
 * TABLE_CACHE_E_LATER: there is no answer yet.
 */
int table_cache_answer(struct table_cache *cache, uint32_t request, int *ret_fd);
/* The answer is not wanted any more. */
void table_cache_forget(struct table_cache *cache, uint32_t request);

/* Whether there is one to be read. The lock is held. */
bool table_cache_must_read(const struct table_cache *cache);
/* Reads the next table that was asked for. Return: whether there was one. */
bool table_cache_read_next(struct table_cache *cache);
