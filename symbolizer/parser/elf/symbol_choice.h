/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * symbol_choice - which of a file's symbols names an address
 *
 * Choice     the symbol that covers the address and begins last; of several that begin there: a function
 *            over a label, global over local over weak, fewer leading underscores, the longer
 *            name, then by bytes: the same file gives the same names each time. Without one, the
 *            nearest label of no size before it, in the same section, with nothing between.
 * Cost       a search per symbol and a step per address covered; memory by addresses alone, so that a
 *            file of millions of symbols needs none of it.
 */

#include <stdint.h>

struct symbol_choice_symbol {
	uint64_t start;
	uint64_t size;
	uint64_t section_start; /* of its section; both 0: not known */
	uint64_t section_end;
	const char *name; /* NUL-terminated, borrowed */
	uint8_t is_function;
	uint8_t binding; /* 2 global, 1 local, 0 weak or other */
};

struct symbol_choice_target {
	uint64_t vaddr;
	uint64_t index;                   /* the caller's */
	struct symbol_choice_symbol best; /* name NULL: none yet */
	struct symbol_choice_symbol
		label;   /* of no size, first target behind it; or what stands between */
	uint8_t settled; /* named by an earlier table */
};

struct symbol_choice {
	struct symbol_choice_target *targets; /* sorted by vaddr */
	uint32_t count;
};

/* Sorts the targets. */
void symbol_choice_sort(struct symbol_choice *pick);
void symbol_choice_offer(struct symbol_choice *pick, const struct symbol_choice_symbol *symbol);
/* After the last symbol of a table: labels where nothing covers; what has a name is settled. */
void symbol_choice_settle(struct symbol_choice *pick);
