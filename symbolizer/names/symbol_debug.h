/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * symbol_debug - the tables of separate debug files in the symbol store
 *
 * Shape      one more table beside that of the file itself; both are evicted together. Virtual
 *            addresses are the same in both; offsets are looked up in the file's own alone.
 * Threads    as symbol_store.h.
 */

#include "symbolizer/names/symbol_store.h"

#define SYMBOL_DEBUG_NAME_MAX  256   /* with its NUL */
#define SYMBOL_DEBUG_PAUSE_MS  60000 /* after a vain attempt; doubled by each further one, */
#define SYMBOL_DEBUG_DOUBLINGS 6     /* up to about an hour */

/* By what a file names its debug files. Names have one component; "": none. */
struct symbol_debug_links {
	uint32_t flags;          /* enum parser_symbols_flag, of the file's own table */
	uint32_t build_id_bytes; /* 0: none */
	uint8_t build_id[PARSER_BUILD_ID_MAX];
	char link[SYMBOL_DEBUG_NAME_MAX];
	uint32_t link_crc;
	uint32_t alt_build_id_bytes; /* of what several debug files share (dwz) */
	uint8_t alt_build_id[PARSER_BUILD_ID_MAX];
	char alt[SYMBOL_DEBUG_NAME_MAX];
};

/* From now on a table without .symtab waits for its debug file. */
void symbol_debug_enable(struct symbol_store *store);
/* Return: 0; SYMBOL_STORE_E_NONE: the table of the file is not here. */
int symbol_debug_links(struct symbol_store *store, const struct tm_identity *identity,
		       struct symbol_debug_links *ret_links);
/* Whether the debug file is wanted for the first time. */
bool symbol_debug_is_wanted(struct symbol_store *store, const struct tm_identity *identity);
/* Whether it was missing, and is to be asked for once more now. */
bool symbol_debug_is_due(struct symbol_store *store, const struct tm_identity *identity,
			 int64_t now_ms);
/* The table of the debug file, which belongs to the file. Takes it. Return: whether it is used. */
bool symbol_debug_put(struct symbol_store *store, const struct tm_identity *identity,
		      struct symbol_table *table);
/* There is none, until a pause is over. @now_ms: INT64_MAX: for ever. */
void symbol_debug_end(struct symbol_store *store, const struct tm_identity *identity,
		      int64_t now_ms);
