/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * unwind_jobs - the way of each file's rows: asked of the parser, checked, handed to the collector
 *
 * Order      files are asked in the order in which their descriptors arrived, the vDSO first of all.
 * Wait       never, but for rows_settle: while a recording runs, this is looked at in every round. What
 *            the wire has no room for is kept, and so long nothing more is asked.
 * Answer     each FILE message is answered once, with the parser's own sealed table, or, when there is
 *            none (no ELF, no descriptor, a parser that failed or is gone), with a table without rows;
 *            not at all once its number was given back.
 * Cache      what an earlier session had made of the same file is handed on without asking (table_cache.h).
 * Limits     PARSER_AT_ONCE requests open, each with a deadline; a parser that misses it by far, or
 *            breaks the form, is talked to no more.
 * Trust      the parser's table is checked whole (tm_rows_check) before it is handed on; the collector
 *            checks it again. Its numbers are told apart from those of name_table.h by ROWS_ID.
 */

#include "symbolizer/unwind/table_cache.h"
#include "symbolizer/unwind/unwind_queue.h"
#include "symbolizer/parser/parser.h"

#define ROWS_ID       0x80000000u /* set in the id of each request for rows */
#define ROWS_FIRST_MS 200         /* so long rows go before names; then they wait for them */

enum rows_state {
	ROWS_FREE = 0,
	ROWS_ASKED,
	ROWS_MADE, /* to be sent */
};

struct rows_slot { /* one FILE message that is being answered */
	uint64_t value;
	int64_t deadline_ms; /* of the request */
	enum rows_state state;
	uint32_t number; /* TM_TABLE_VDSO: no file */
	uint32_t id;
	int table; /* owned; -1: the empty one */
	int keep;  /* in the cache, under `identity` */
	struct tm_identity identity;
};

struct rows_counts {
	uint64_t made;
	uint64_t cached; /* of those, found in the cache */
	uint64_t failed; /* answered with the empty table */
	uint64_t abandoned;
	uint64_t dropped; /* made for a number that was given back meanwhile */
};

struct rows {
	struct files *files; /* borrowed */
	struct cache *cache; /* borrowed */
	int wire;            /* borrowed; -1: nobody is there any more */
	int parser;          /* borrowed; -1: not talked to (any more) */
	int empty;           /* owned: a sealed table without rows */
	int vdso_wanted;
	uint32_t next_id;
	struct rows_slot slots[PARSER_AT_ONCE];
	struct rows_counts counts;
};

/* Return: 0, -errno. */
int rows_init(struct rows *rows, struct files *files, struct cache *cache, int wire);
void rows_deinit(struct rows *rows);
/* From now on the parser may be asked; the vDSO is. */
void rows_begin(struct rows *rows, int parser);
/* Takes what was answered, hands on what is made, asks for what is wanted. */
void rows_round(struct rows *rows);
/* Whether the parser's socket, and the wire's being writable, is worth waking up for. */
int rows_are_asked(const struct rows *rows);
int rows_are_made(const struct rows *rows);
/*
 * Before the parser is asked for names: waits for every request's answer, and asks for what is wanted
 * besides, within ROWS_FIRST_MS, unless @last. Ends early when the other end of @control goes (-1: none).
 */
void rows_settle(struct rows *rows, int control, int last);
/* The parser is no longer talked to. */
void rows_lose_parser(struct rows *rows);
