/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * symbol_store - the symbol tables of all files, by identity, within a byte budget
 *
 * Shape      one entry per identity, in order of use. An entry says what became of its file: asked
 *            for, here, without symbols for good, failed for now, or evicted. It outlives number,
 *            path and descriptor of the file, and every report.
 * Debug      the table of a separate debug file lies above the file's own (symbol_debug.h).
 * Owner      the store owns the tables. A pinned table stays mapped until it is unpinned.
 * Limits     the budget's bytes and SYMBOL_STORE_ENTRIES; the least recently used entry without a
 *            pin makes room. A table that finds none fails for now, one above the budget for good.
 * Age        what SYMBOL_STORE_IDLE_REPORTS reports and SYMBOL_STORE_IDLE_MS have not used is
 *            forgotten once its file has no number: to be sampled it is announced again.
 * Back-off   after a failure SYMBOL_STORE_PAUSE_MS pass until the next attempt, doubled by each
 *            further one up to SYMBOL_STORE_PAUSE_MAX.
 * Threads    all functions but init and deinit may be called by any: one mutex, held for a few
 *            instructions; a table is mapped, checked and unmapped outside it.
 */

#include "symbolizer/names/symbol_entries.h"

struct symbol_store_pin {
	struct symbol_table table; /* borrowed */
	struct symbol_table debug; /* borrowed: of the separate debug file, whose names come first;
				    * its header is NULL if there is none */
	uint32_t entry;            /* SYMBOL_STORE_NO_ENTRY: nothing is pinned */
	enum tm_unnamed reason;    /* why nothing is */
};

enum {
	SYMBOL_STORE_E_SETTLED = 1, /* it has its answer */
	SYMBOL_STORE_E_LATER = 2,   /* it is asked for, or its pause is not over */
	SYMBOL_STORE_E_SPENT = 3,   /* there is no memory for an entry */
	SYMBOL_STORE_E_NONE = 4,
};

typedef bool symbol_store_stays_fn(void *context, const struct tm_identity *identity);

/* Return: 0, -errno. */
int symbol_store_init(struct symbol_store *store, uint64_t bytes, const struct hash_seed *seed);
void symbol_store_deinit(struct symbol_store *store);

/* --- what the parser is asked for, and its answers --- */

/* Return: 0: ask, and then call one of the next three; SYMBOL_STORE_E_SETTLED, _LATER, _SPENT. */
int symbol_store_begin(struct symbol_store *store, const struct tm_identity *identity,
		       int64_t now_ms);
/* The parser's table, checked here. Takes @fd. */
void symbol_store_put(struct symbol_store *store, const struct tm_identity *identity, int fd,
		      int64_t now_ms);
/* There is no table for good. */
void symbol_store_refuse(struct symbol_store *store, const struct tm_identity *identity,
			 enum tm_unnamed reason);
/* There is no table for now. */
void symbol_store_fail(struct symbol_store *store, const struct tm_identity *identity,
		       enum tm_unnamed reason, int64_t now_ms);
/* One whose table a report missed or waits for, since it was evicted or could not be made, once.
 * Return: 0, SYMBOL_STORE_E_NONE. */
int symbol_store_next_again(struct symbol_store *store, struct tm_identity *ret_identity);
/* It cannot be asked for again: no report waits for it. */
void symbol_store_give_up(struct symbol_store *store, const struct tm_identity *identity);

/* --- for a report --- */

/* The caller unpins it, also where nothing was pinned. */
void symbol_store_pin(struct symbol_store *store, const struct tm_identity *identity,
		      struct symbol_store_pin *ret_pin);
void symbol_store_unpin(struct symbol_store *store, struct symbol_store_pin *pin);
/* Until each of them has an answer or failed, at most for @timeout_ms; what was evicted is made
 * again. Return: whether all have. */
bool symbol_store_wait(struct symbol_store *store, const struct tm_identity *identities,
		       uint32_t count, int64_t timeout_ms);
/* A report has ended: what has not been used for long is forgotten, unless @stays, which is called
 * with the mutex held. */
void symbol_store_end_report(struct symbol_store *store, symbol_store_stays_fn *stays,
			     void *context);
/* Evicts tables that nobody has pinned, of about @bytes, as long as there are any. */
void symbol_store_reclaim(struct symbol_store *store, uint64_t bytes);
/* The counts since the last call. */
struct symbol_store_counts symbol_store_take_counts(struct symbol_store *store);
