/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * symbol_choice - chooses which of a file's symbols names an address
 *
 * Choice     the symbol that covers the address and begins last; of several that begin there: a
 *            function over a label, global over local over weak, fewer leading underscores, the
 *            longer name, then by bytes: the same file gives the same names each time. If no symbol
 *            covers it, the nearest label without a size before it, in the same section, with no
 *            symbol between.
 * Cost       a search for each symbol and a step for each address that it covers; memory grows with
 *            the addresses alone, not with a file's millions of symbols.
 */

#include <stdbool.h>
#include <stdint.h>

struct symbol_choice_symbol {
	uint64_t start;
	uint64_t size;
	uint64_t section_start; /* of its section; both 0: unknown */
	uint64_t section_end;
	const char *name; /* NUL-terminated, borrowed */
	bool is_function;
	uint8_t binding; /* 2 global, 1 local, 0 weak or other */
};

struct symbol_choice_target {
	uint64_t vaddr;
	uint64_t index;                   /* the caller's */
	struct symbol_choice_symbol best; /* name NULL: none yet */
	/* The last symbol between the previous target and this one: a label, or what ends one. */
	struct symbol_choice_symbol label;
	bool is_final; /* named by an earlier symbol table */
};

struct symbol_choice {
	struct symbol_choice_target *targets; /* sorted by vaddr */
	uint32_t count;
};

/* Sorts the targets. */
void symbol_choice_sort(struct symbol_choice *choice);
void symbol_choice_offer(struct symbol_choice *choice, const struct symbol_choice_symbol *symbol);
/* After a table's last symbol: names by labels what no symbol covers. Its names become final. */
void symbol_choice_finish_table(struct symbol_choice *choice);
