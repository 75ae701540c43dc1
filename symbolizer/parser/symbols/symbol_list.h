/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * symbol_list - the symbols of one table, as they were read, before one is chosen for each address
 *
 * Cost       adding is constant, sorting linear in their number (a radix sort), whatever they are.
 * Limits     SYMBOL_LIST_MAX symbols, SYMBOL_LIST_SOURCES tables of strings.
 */

#include <stdbool.h>
#include <stdint.h>

#include "symbolizer/parser/parser.h"

#define SYMBOL_LIST_MAX     PARSER_SYMBOLS_MAX
#define SYMBOL_LIST_SOURCES 2u

enum symbol_binding {
	SYMBOL_WEAK, /* or another */
	SYMBOL_LOCAL,
	SYMBOL_GLOBAL,
};

struct symbol {
	uint64_t start; /* vaddr */
	uint32_t bytes; /* 0: a label */
	uint32_t reach; /* of a label: bytes to the end of its section; 0: names nothing */
	uint32_t name;  /* offset in the strings of its source */
	uint8_t is_function;
	uint8_t binding; /* enum symbol_binding */
	uint8_t source;
	uint8_t pad;
};

/* Bytes of which the last one is a NUL. */
struct symbol_strings {
	const char *bytes; /* borrowed */
	uint64_t count;
};

struct symbol_list {
	struct symbol *symbols; /* owned */
	uint32_t count, capacity;
	struct symbol_strings sources[SYMBOL_LIST_SOURCES];
	uint32_t flags; /* of the numbers of its symbols: SYMBOL_RANGE_PLT, or 0 */
	bool truncated; /* a limit was met */
};

/* Return: 0, also when the list is full; PARSER_FAILED (memory). */
int symbol_list_add(struct symbol_list *list, const struct symbol *symbol);
/* By start, and of those with the same start the longest first. Return: as above. */
int symbol_list_sort(struct symbol_list *list);
void symbol_list_free(struct symbol_list *list);

static inline const char *symbol_list_name(const struct symbol_list *list, uint32_t index)
{
	const struct symbol *symbol = &list->symbols[index];

	return list->sources[symbol->source].bytes + symbol->name;
}
