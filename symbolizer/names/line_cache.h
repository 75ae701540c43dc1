/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * line_cache - inlined calls and source lines at addresses, kept from one report to the next
 *
 * A record says what the parser's LINES answered for one address of one file; without calls: that
 * nothing is known there.
 *
 * Limits     LINE_CACHE_BYTES; the record that was least recently looked up makes room. One that no
 *            report of the last LINE_CACHE_KEPT_MS looked up is dropped: most addresses of a large
 *            program are sampled once in hours, and new ones all the time.
 *            LINE_CACHE_RECORD_MAX for one; a larger one is not kept.
 * Threads    one at a time: the reporter's.
 */

#include <sys/queue.h>

#include "shared/event.h"
#include "symbolizer/base/hash.h"
#include "symbolizer/base/hash_index.h"
#include "symbolizer/names/lines_check.h"

#define LINE_CACHE_BYTES      (32ull << 20)
#define LINE_CACHE_RECORD_MAX (1u << 20)
#define LINE_CACHE_KEPT_MS    600000u

struct line_record {
	TAILQ_ENTRY(line_record) use; /* in the order of their last use */
	struct tm_identity identity;
	uint64_t vaddr;
	uint64_t used_ms; /* when the last report began that looked it up */
	uint32_t slot;
	uint32_t hash;
	uint32_t bytes;
	uint32_t call_count;
	uint32_t flags;             /* enum parser_lines_flags: of what the parser read */
	struct parser_call calls[]; /* innermost first; names are into the texts behind them */
};

struct line_cache_slot {
	struct line_record *record; /* owned; NULL: the slot is free */
	uint32_t next_free;         /* slot + 1 */
};

struct line_cache {
	TAILQ_HEAD(line_cache_uses, line_record) uses; /* oldest first */
	struct line_cache_slot *slots;
	uint32_t count, capacity;
	uint32_t free; /* slot + 1 */
	struct hash_index lookup;
	struct budget budget;
	uint64_t now_ms;              /* when this report began */
	const struct hash_seed *seed; /* borrowed */
};

void line_cache_init(struct line_cache *cache, uint64_t bytes, const struct hash_seed *seed);
void line_cache_deinit(struct line_cache *cache);
/* A report begins: what is looked up or added from now on is used. @now_ms: never less than before.
 */
void line_cache_begin(struct line_cache *cache, uint64_t now_ms);
/* At its end: drops what was not used for LINE_CACHE_KEPT_MS before it began. */
void line_cache_expire(struct line_cache *cache);
/* Return: the record, valid until something is added; NULL: not known. */
const struct line_record *line_cache_find(struct line_cache *cache,
					  const struct tm_identity *identity, uint64_t vaddr);
/* Adds what @lines says of @place, instead of what was there. What does not fit is not kept. */
void line_cache_add(struct line_cache *cache, const struct tm_identity *identity, uint64_t vaddr,
		    const struct lines_check *lines, const struct parser_place *place);

/* @name: of a call of @record. Return: "" where there is none. */
static inline const char *line_record_text(const struct line_record *record, uint32_t name)
{
	const char *texts = (const char *)(record->calls + record->call_count);

	return name == PARSER_NO_NAME ? "" : texts + name;
}
