/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * unwind_jobs - gets each file's unwind table from the parser, checks it and sends it
 *
 * Order      files are parsed in the order in which their descriptors arrived, the vDSO first.
 *            While there is no parser they wait for the next one.
 * Wait       never: this is called in every round. What the socket to the collector has no room for
 *            is kept, and meanwhile the parser is asked for nothing more.
 * Answer     each FILE message is answered once: with the parser's own sealed table; or, where the
 *            file has no unwind information, with a table without rows, which is final; or, where
 *            it could not be parsed now, with UNWIND_FAILED, so that the collector hands it over
 *            again later. A number that was given back meanwhile gets no answer. The vDSO, which
 *            nobody hands over, is asked for again from here, after a pause that each failure
 *            doubles.
 * Cache      a table that an earlier session made of the same file is sent without asking the
 *            parser. The cache is asked first, as long as it answers in time
 *            (table_cache_requests.h).
 * Trust      the parser's table is checked whole (tm_unwind_table_check) before it is sent; the
 *            collector checks it again.
 */

#include <stdbool.h>

#include "symbolizer/base/parser_client.h"
#include "symbolizer/profile/file_queue.h"
#include "symbolizer/unwind/table_cache_requests.h"

#define UNWIND_JOBS_SLOTS          64u
#define UNWIND_JOBS_VDSO_PAUSE_MS  1000
#define UNWIND_JOBS_VDSO_PAUSE_MAX 64000

enum unwind_jobs_state {
	UNWIND_JOBS_FREE = 0,
	UNWIND_JOBS_RECALLED, /* the cache was asked */
	UNWIND_JOBS_WANTED,   /* the parser is to be asked */
	UNWIND_JOBS_ASKED,
	UNWIND_JOBS_MADE, /* to be sent */
};

struct unwind_jobs_slot { /* one FILE message that is being answered */
	uint64_t value;
	uint64_t order;
	enum unwind_jobs_state state;
	uint32_t number;   /* TM_UNWIND_MAP_VDSO: no file */
	uint32_t recalled; /* the request to the cache */
	int table;         /* owned; -1: the empty one */
	bool failed;       /* there is no table now; `table` is -1 */
	bool keep;         /* in the cache, under `identity` */
	struct tm_identity identity;
};

struct unwind_jobs_counts {
	uint64_t made;
	uint64_t cached;  /* of those, found in the cache */
	uint64_t empty;   /* answered with the empty table */
	uint64_t dropped; /* made for a number that was given back meanwhile */
};

struct unwind_jobs {
	struct files *files;          /* borrowed */
	struct table_cache *cache;    /* borrowed */
	struct parser_client *parser; /* borrowed */
	int wire;                     /* borrowed; -1: nobody is there any more */
	int empty;                    /* owned: a sealed table without rows */
	bool vdso_wanted;
	int64_t vdso_ms;       /* then, not before */
	int64_t vdso_pause_ms; /* after the next failure */
	uint64_t next_order;
	struct unwind_jobs_slot slots[UNWIND_JOBS_SLOTS];
	struct unwind_jobs_counts counts;
};

/* The vDSO's table is wanted at once. Return: 0, -errno. */
int unwind_jobs_init(struct unwind_jobs *jobs, struct files *files, struct table_cache *cache,
		     struct parser_client *parser, int wire);
void unwind_jobs_deinit(struct unwind_jobs *jobs);
/* Sends what is made, asks for what is wanted. */
void unwind_jobs_round(struct unwind_jobs *jobs);
/* How many requests to the parser are open. */
unsigned unwind_jobs_asked(const struct unwind_jobs *jobs);
/* Whether an answer waits until the socket to the collector has room for it. */
bool unwind_jobs_must_send(const struct unwind_jobs *jobs);
