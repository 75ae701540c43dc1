/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * name_table - asks the parser for a name of every file offset that was sampled
 *
 * Shape      all distinct (file, offset) in one sorted array, the offset of a call and not of its return;
 *            each file's part of it is one request, less what was kept of an earlier one (symbol_cache.h).
 * Limits     PARSER_AT_ONCE requests open; each has a deadline; a parser that misses it by far is
 *            given up and what is left stays unnamed, counted.
 */

#include "symbolizer/profile/aggregate.h"

#define NAME_TABLE_VDSO     (TM_FRAME_FILE_MAX + 1u) /* the "file" of vDSO offsets */
#define NAME_TABLE_NONE     0xffffffffu
#define NAME_TABLE_GRACE_MS 2000 /* beyond the parser's own deadline */

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
	uint64_t failed;
	uint64_t abandoned;
	struct strings *strings; /* borrowed */
	int parser;              /* socket, borrowed; -1 once given up */
	int control;             /* socket, borrowed: when its other end goes, so do we; -1: none */
	int pending_only;        /* files that ended, to close their descriptors */
	int goes_on;    /* this is not the last time: keep symbols, and what is still in use open */
	uint64_t ktime; /* now, by W; meaningful if goes_on */
};

void name_table_init(struct name_table *names, struct strings *strings, int parser, int control);
void name_table_deinit(struct name_table *names);
/* What a frame word is looked up as; only FILE and VDSO words have a key. */
uint64_t name_table_key(uint64_t word);
/* Collects the places of every stack. Return: 0, BUDGET_E_SPENT (the rest stays unnamed). */
int name_table_collect(struct name_table *names, const struct aggregate *aggregate);
/* Names what can be named; closes a file's descriptor once it was handed on and is not needed again. */
void name_table_ask(struct name_table *names, struct files *files);
/* NULL when the place was not collected. */
const struct name_table_place *name_table_find(const struct name_table *names, uint64_t key);
