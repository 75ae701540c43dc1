/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * unwind_jobs - the way of each file's rows: asked of the parser, checked, handed to the collector
 *
 * Order      files are asked in the order in which their descriptors arrived, the vDSO first of all.
 * Wait       never, but for unwind_jobs_settle: while a recording runs, this is looked at in every round. What
 *            the wire has no room for is kept, and so long nothing more is asked.
 * Answer     each FILE message is answered once, with the parser's own sealed table, or, when there is
 *            none (no ELF, no unwind information), with a table without rows, which is final; with
 *            UNWIND_FAILED where the file could not be parsed now, so that the collector hands it
 *            over again later; not at all once its number was given back. The vDSO, which nobody
 *            hands over, is asked for again from here, after a pause that each failure doubles.
 * Cache      what an earlier session had made of the same file is handed on without asking (table_cache.h).
 * Limits     PARSER_AT_ONCE requests open, each with a deadline; a parser that misses it by far, or
 *            breaks the form, is talked to no more.
 * Trust      the parser's table is checked whole (tm_unwind_table_check) before it is handed on; the collector
 *            checks it again. Its numbers are told apart from those of name_table.h by UNWIND_JOBS_ID.
 */

#include <stdbool.h>

#include "shared/control.h"
#include "symbolizer/parser/parser.h"
#include "symbolizer/unwind/table_cache.h"
#include "symbolizer/unwind/unwind_queue.h"

#define UNWIND_JOBS_ID             0x80000000u /* set in the id of each request for rows */
#define UNWIND_JOBS_FIRST_MS       200 /* so long rows go before names; then they wait for them */

#define UNWIND_JOBS_VDSO_PAUSE_MS  1000
#define UNWIND_JOBS_VDSO_PAUSE_MAX 64000

enum unwind_jobs_state {
	UNWIND_JOBS_FREE = 0,
	UNWIND_JOBS_ASKED,
	UNWIND_JOBS_MADE, /* to be sent */
};

struct unwind_jobs_slot { /* one FILE message that is being answered */
	uint64_t value;
	int64_t deadline_ms; /* of the request */
	enum unwind_jobs_state state;
	uint32_t number; /* TM_UNWIND_MAP_VDSO: no file */
	uint32_t id;
	int table;   /* owned; -1: the empty one */
	bool failed; /* there is no table now; `table` is -1 */
	int keep;    /* in the cache, under `identity` */
	struct tm_identity identity;
};

struct unwind_jobs_counts {
	uint64_t made;
	uint64_t cached; /* of those, found in the cache */
	uint64_t empty;  /* answered with the empty table */
	uint64_t failures[TM_PARSE_N];
	uint64_t dropped; /* made for a number that was given back meanwhile */
};

struct unwind_jobs {
	struct files *files;       /* borrowed */
	struct table_cache *cache; /* borrowed */
	int wire;                  /* borrowed; -1: nobody is there any more */
	int parser;                /* borrowed; -1: not talked to (any more) */
	int empty;                 /* owned: a sealed table without rows */
	int vdso_wanted;
	int64_t vdso_ms;       /* then, not before */
	int64_t vdso_pause_ms; /* after the next failure */
	uint32_t next_id;
	struct unwind_jobs_slot slots[PARSER_AT_ONCE];
	struct unwind_jobs_counts counts;
};

/* Return: 0, -errno. */
int unwind_jobs_init(struct unwind_jobs *rows, struct files *files, struct table_cache *cache,
		     int wire);
void unwind_jobs_deinit(struct unwind_jobs *rows);
/* From now on the parser may be asked; the vDSO is. */
void unwind_jobs_begin(struct unwind_jobs *rows, int parser);
/* Takes what was answered, hands on what is made, asks for what is wanted. */
void unwind_jobs_round(struct unwind_jobs *rows);
/* Whether the parser's socket, and the wire's being writable, is worth waking up for. */
int unwind_jobs_are_asked(const struct unwind_jobs *rows);
int unwind_jobs_are_made(const struct unwind_jobs *rows);
/*
 * Before the parser is asked for names: waits for every request's answer, and asks for what is wanted
 * besides, within UNWIND_JOBS_FIRST_MS, unless @last. Ends early when the other end of @control goes (-1: none).
 */
void unwind_jobs_settle(struct unwind_jobs *rows, int control, int last);
/* The parser is no longer talked to. */
void unwind_jobs_lose_parser(struct unwind_jobs *rows);
