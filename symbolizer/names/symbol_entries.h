/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * symbol_entries - the entries of the symbol store, in the order of their use
 *
 * The lower half of symbol_store.h, whose functions alone call these, with the mutex held.
 */

#include <pthread.h>
#include <stdbool.h>

#include "shared/result.h"
#include "symbolizer/base/hash.h"
#include "symbolizer/base/hash_index.h"
#include "symbolizer/names/symbol_table.h"

#define SYMBOL_STORE_BYTES (192ull << 20)
/* As many as file numbers; each may have two mappings, and a process some 65,530 of them. */
#define SYMBOL_STORE_ENTRIES      16384u
#define SYMBOL_STORE_IDLE_MS      600000 /* unused for so long, */
#define SYMBOL_STORE_IDLE_REPORTS 2u     /* and by so many reports, an entry goes */
#define SYMBOL_STORE_PAUSE_MS     1000
#define SYMBOL_STORE_PAUSE_MAX    64000
#define SYMBOL_STORE_NO_ENTRY     0xffffffffu
#define SYMBOL_STORE_SMALL        8 /* below this part of what is wanted a table goes last */

/* The vDSO is no file: no device has this number. */
#define SYMBOL_STORE_VDSO ((struct tm_identity){.dev = UINT64_MAX})

enum symbol_store_state {
	SYMBOL_STORE_FREE = 0, /* the place has no identity */
	SYMBOL_STORE_ASKED,
	SYMBOL_STORE_HAVE,
	SYMBOL_STORE_NONE,   /* for good; `reason` */
	SYMBOL_STORE_FAILED, /* for now; `reason` */
	SYMBOL_STORE_EVICTED,
};

enum symbol_debug_state {          /* of a separate debug file */
	SYMBOL_DEBUG_UNWANTED = 0, /* the file has a .symtab, or names no debug file */
	SYMBOL_DEBUG_WANTED,       /* reports wait for it */
	SYMBOL_DEBUG_MISSING,      /* until `debug_retry_ms` */
	SYMBOL_DEBUG_ASKED,        /* once more: no report waits */
	SYMBOL_DEBUG_HAVE,
};

struct symbol_store_entry {
	struct tm_identity identity;
	struct symbol_table table; /* owned; meaningful if HAVE */
	struct symbol_table debug; /* owned: of the separate debug file; meaningful likewise */
	int64_t debug_retry_ms;
	int64_t retry_ms; /* FAILED: not before */
	int64_t used_ms;
	uint32_t used_report; /* how many reports there had been then */
	uint32_t pins;
	uint32_t older, newer; /* entry + 1; of a free place `older` is the next free one */
	uint8_t failures;
	uint8_t state;       /* enum symbol_store_state */
	uint8_t reason;      /* enum tm_unnamed */
	uint8_t debug_state; /* enum symbol_debug_state */
	uint8_t debug_doublings;
	bool again;   /* a report missed the table */
	bool awaited; /* EVICTED: a report waits for it to be made again */
};

struct symbol_store_counts {
	uint64_t made;    /* tables that checked */
	uint64_t none;    /* files that have none for good */
	uint64_t failed;  /* attempts */
	uint64_t evicted; /* tables */
};

struct symbol_store {
	struct symbol_store_entry *entries;
	uint32_t count, capacity;
	uint32_t free;           /* place + 1 */
	uint32_t oldest, newest; /* entry + 1 */
	uint32_t again;          /* entries that are wanted again */
	uint32_t pinned;         /* pins of all entries */
	uint32_t reports;        /* that have ended */
	bool wants_debug;        /* separate debug files are looked for */
	struct hash_index lookup;
	struct budget budget;
	const struct hash_seed *seed; /* borrowed */
	struct symbol_store_counts counts;
	pthread_mutex_t mutex;
	pthread_cond_t answered;
};

/* Return: an index, or SYMBOL_STORE_NO_ENTRY. */
uint32_t symbol_entries_find(const struct symbol_store *store, const struct tm_identity *identity);
/* Where there is no room for one more, the oldest that is not asked for goes. */
uint32_t symbol_entries_find_or_add(struct symbol_store *store, const struct tm_identity *identity);
/* The least recently used one in one of @states (bits) without a pin. */
uint32_t symbol_entries_oldest(const struct symbol_store *store, unsigned states);
/* The least recently used one behind @after (SYMBOL_STORE_NO_ENTRY: of all) that has not been used
 * for long, has no pin, and is not asked for. */
uint32_t symbol_entries_idle(const struct symbol_store *store, uint32_t after, int64_t now_ms);
/* Its place becomes free; the tables are the caller's. */
void symbol_entries_forget(struct symbol_store *store, uint32_t index,
			   struct symbol_table *ret_table, struct symbol_table *ret_debug);
/* It was used now. */
void symbol_entries_touch(struct symbol_store *store, uint32_t index);
void symbol_entries_set_again(struct symbol_store *store, struct symbol_store_entry *entry,
			      bool again);
/* Its bytes are given back. Unmapping takes its time: the caller does it without the mutex. */
void symbol_entries_take_tables(struct symbol_store *store, struct symbol_store_entry *entry,
				struct symbol_table *ret_table, struct symbol_table *ret_debug);
/*
 * Evicts the tables of one entry without a pin and lets go of the mutex meanwhile: of the least
 * recently used entry that has at least a part of @wanted bytes, so that one huge table does not
 * cost hundreds of programs theirs; where none is that large, of the least recently used.
 * Return: the bytes that became free; 0: all are pinned.
 */
uint64_t symbol_entries_evict(struct symbol_store *store, uint64_t wanted);
/* Evicts what it takes. Return: whether there is room for
 * @bytes, which are then charged. */
bool symbol_entries_charge(struct symbol_store *store, uint64_t bytes);
