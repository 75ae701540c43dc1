/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * symbol_jobs - gets each file's symbol table from the parser, once, into the symbol store
 *
 * Order      files in the order in which their descriptors arrived, the vDSO first; but no request
 *            is made while an unwind table is still to be asked for.
 * Once       an identity that the store has an answer for is not asked for again. Its descriptor is
 *            closed as soon as that answer is there.
 * Cache      what an earlier session made of the same file is used without asking the parser. The
 *            cache is asked first, as long as it answers in time (table_cache_requests.h).
 * Failures   a file that could not be parsed now is asked for again after a pause (symbol_store.h).
 *            Its descriptor stays open meanwhile, unless the file is deleted or has ended: its
 *            blocks are not held. The collector then hands it over again when a report missed it,
 *            as it does for a table that was evicted.
 * Identity   a file that is not in the announced state, before it is read or after, names nothing
 *            (parser_client.h): it was perhaps overwritten. The collector is asked for it
 *            once more, so that later samples get another number for it.
 * Wait       never. A report waits for the store (symbol_store_wait).
 * Threads    the reader's.
 */

#include <stdbool.h>

#include "symbolizer/base/parser_client.h"
#include "symbolizer/names/debug_files.h"
#include "symbolizer/names/jitdumps.h"
#include "symbolizer/profile/files.h"
#include "symbolizer/unwind/table_cache_requests.h"

#define SYMBOL_JOBS_VDSO  FILES_NONE
#define SYMBOL_JOBS_SLOTS 48u

enum symbol_jobs_state {
	SYMBOL_JOBS_FREE = 0,
	SYMBOL_JOBS_RECALLED, /* the cache was asked */
	SYMBOL_JOBS_WANTED,   /* the parser is to be asked */
	SYMBOL_JOBS_ASKED,
};

struct symbol_jobs_slot { /* one file whose table the store waits for */
	enum symbol_jobs_state state;
	uint32_t file;     /* SYMBOL_JOBS_VDSO: no file */
	uint32_t recalled; /* the request to the cache */
	uint64_t order;
	struct tm_identity identity;
};

struct symbol_jobs {
	struct files *files;          /* borrowed */
	struct symbol_store *store;   /* borrowed */
	struct parser_client *parser; /* borrowed */
	struct table_cache *cache;    /* borrowed; NULL: none */
	struct jit_files *jit;        /* borrowed: takes jitdumps; NULL: nobody does */
	struct debug_files *debug;    /* borrowed: receives each table's file; NULL: none */
	int wire;                     /* borrowed */
	bool vdso_wanted;
	uint64_t cached; /* tables that were found in the cache */
	uint64_t next_order;
	struct symbol_jobs_slot slots[SYMBOL_JOBS_SLOTS];
};

/* The vDSO's symbols are wanted at once. `debug` and `cache` are set by the caller afterwards. */
void symbol_jobs_init(struct symbol_jobs *jobs, struct files *files, struct symbol_store *store,
		      struct parser_client *parser, int wire);
void symbol_jobs_deinit(struct symbol_jobs *jobs);
/*
 * Asks for what is wanted, closes descriptors that are not needed any more. @tables_first: not
 * while an unwind table is still to be asked for.
 */
void symbol_jobs_round(struct symbol_jobs *jobs, bool tables_first);
