/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * symbol_ranges - which symbol names each address: disjoint ranges, in the order of addresses
 *
 * Choice     the symbol that covers the address and begins last; of several that begin there: a
 *            function over a label, global over local over weak, fewer leading underscores, the
 *            longer name, then by bytes: the same file gives the same names each time. If no symbol
 *            covers it, the nearest label without a size before it, in the same section, with no
 *            symbol between.
 * Cost       after the sort a step for each symbol and a comparison of at most PARSER_NAME_MAX
 *            bytes of names for each alias, however many symbols cover one address.
 */

#include "symbolizer/parser/symbols/symbol_list.h"

#define SYMBOL_RANGE_PLT (1u << 31) /* a stub: the name is that of the function it jumps to */

struct symbol_range {
	uint64_t start; /* vaddr */
	uint32_t bytes;
	uint32_t symbol;  /* its number in the file; SYMBOL_RANGE_PLT is not part of it */
	const char *name; /* NUL-terminated, borrowed */
};

struct symbol_ranges {
	struct symbol_range *list; /* owned */
	uint32_t count, capacity;
	bool truncated; /* PARSER_SYMBOLS_MAX was met */
};

/* Adds a range behind the last one. Return: 0, also when the list is full; PARSER_FAILED. */
int symbol_ranges_add(struct symbol_ranges *ranges, const struct symbol_range *range);
/* Chooses among the symbols of a sorted list, which get numbers from @first on. @ranges: empty.
 * Return: 0, PARSER_FAILED (memory). */
int symbol_ranges_choose(struct symbol_ranges *ranges, const struct symbol_list *list,
			 uint32_t first);
/* Adds of @others what lies in the gaps of @ranges; beside a range of the same name, to that.
 * Return: as above. */
int symbol_ranges_fill_gaps(struct symbol_ranges *ranges, const struct symbol_ranges *others);
void symbol_ranges_free(struct symbol_ranges *ranges);
