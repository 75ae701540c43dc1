/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * name_table - the sampled file offsets and their names
 *
 * Shape      all distinct (file, offset) in one sorted array, the offset of a call and not of its
 *            return; each file's part of it is one request, less what was kept of an earlier one
 *            (symbol_cache.h).
 * Failures   a file that could not be parsed now stays unnamed and is counted; the next report asks
 *            again. A file whose symbols do not check, or that has none, has no names for good.
 */

#include <stdbool.h>

#include "symbolizer/base/parser_client.h"
#include "symbolizer/profile/aggregate.h"

#define NAME_TABLE_VDSO (TM_FRAME_FILE_MAX + 1u) /* the "file" of vDSO offsets */
#define NAME_TABLE_NONE 0xffffffffu

struct symbol_cache_store;

struct name_table_place { /* one (file, offset) */
	uint64_t key;     /* file << 40 | offset */
	uint64_t vaddr;   /* meaningful if has_vaddr */
	uint32_t name;    /* string, or NAME_TABLE_NONE */
	uint8_t has_vaddr;
	uint8_t known; /* asked and answered, with a name or without */
};

struct name_table_file { /* one file that was sampled */
	uint32_t file;
	uint32_t first; /* place */
	uint32_t count;
	uint32_t asked;                /* of them; the others were kept */
	uint32_t build_id;             /* string */
	uint64_t vaddr, offset, bytes; /* executable segment; bytes 0: not known */
	uint8_t has_symbols;
	uint8_t answered;
};

struct name_table {
	struct name_table_place *places;
	struct name_table_file *files;
	uint32_t place_count, place_capacity;
	uint32_t file_count, file_capacity;
	uint64_t failed;              /* files that could not be parsed now */
	struct strings *strings;      /* borrowed */
	struct parser_client *parser; /* borrowed */
	bool pending_only;            /* files that ended, to close their descriptors */
	bool goes_on;   /* this is not the last time: keep symbols, and what is still in use open */
	uint64_t ktime; /* now, by W; meaningful if goes_on */
};

void name_table_init(struct name_table *names, struct strings *strings,
		     struct parser_client *parser);
void name_table_deinit(struct name_table *names);
/* What an encoded frame is looked up as; only FILE and VDSO frames have a key. */
uint64_t name_table_key(uint64_t word);
/* Collects the places of every stack. Return: 0, BUDGET_E_SPENT (the rest stays unnamed). */
int name_table_collect(struct name_table *names, const struct aggregate *aggregate);
/*
 * Names what can be named. Closes a file's descriptor once the parser has it, where it is not
 * needed again.
 */
void name_table_ask(struct name_table *names, struct symbol_cache_store *store);
/* NULL when the place was not collected. */
const struct name_table_place *name_table_find(const struct name_table *names, uint64_t key);
