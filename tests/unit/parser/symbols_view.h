/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * symbols_view - checks the answer to PARSER_SYMBOLS against all that parser.h promises
 */

#include <stddef.h>

#include "symbolizer/parser/parser.h"

struct symbols_view {
	const struct parser_symbol_table *header;
	const struct parser_segment *segments;
	const struct parser_symbol *symbols;
	const char *names;
};

/* Return: NULL, or what is wrong with it. */
const char *symbols_view_open(struct symbols_view *view, const void *blob, size_t bytes);
/* The symbol that covers an address; NULL: none does. */
const struct parser_symbol *symbols_view_find(const struct symbols_view *view, uint64_t vaddr);
