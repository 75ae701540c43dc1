/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * symbol_table - the symbols and segments of one file, as its parser sealed them
 *
 * The table is read in place: sealed against writing, checked once and whole, then searched. Any
 * thread may search it.
 */

#include "shared/region.h"
#include "symbolizer/names/code_table.h"
#include "symbolizer/parser/parser.h"

#define SYMBOL_TABLE_BYTES_MAX                                 \
	(sizeof(struct parser_symbol_table) +                  \
	 PARSER_SEGMENTS_MAX * sizeof(struct parser_segment) + \
	 (uint64_t)PARSER_SYMBOLS_MAX * sizeof(struct parser_symbol) + PARSER_SYMBOLS_NAMES_MAX)

_Static_assert(CODE_TABLE_BYTES_MAX < SYMBOL_TABLE_BYTES_MAX, "either is mapped");

#define SYMBOL_TABLE_EXECUTABLE 1u /* PF_X, elf(5), in the flags of a segment */

struct symbol_table {
	struct tm_region region; /* owned; null: what was parsed is the caller's */
	const struct parser_symbol_table *header;
	const struct parser_segment *segments; /* ascending by file offset, without overlap */
	const struct parser_symbol *symbols;   /* ascending by vaddr, without overlap */
	const char *names;
	struct code_table code; /* of a jitdump, which has no symbols */
};

#define SYMBOL_TABLE_NULL ((struct symbol_table){.region = TM_REGION_NULL})

/* Checks @bytes at @blob, of either kind, which is aligned to 8 and stays as it is.
 * Return: 0, -EBADMSG. */
int symbol_table_parse(struct symbol_table *table, const void *blob, size_t bytes);
/* Maps and checks a sealed blob. Takes @fd in any case. Return: 0, -EBADMSG, -errno. */
int symbol_table_open(struct symbol_table *table, int fd);
void symbol_table_close(struct symbol_table *table);
/* The segment that holds this byte of the file, or NULL. */
const struct parser_segment *symbol_table_segment(const struct symbol_table *table,
						  uint64_t offset);
/* The symbol that covers this virtual address, or NULL. */
const struct parser_symbol *symbol_table_find(const struct symbol_table *table, uint64_t vaddr);

static inline uint64_t symbol_table_vaddr(const struct parser_segment *segment, uint64_t offset)
{
	return segment->vaddr + (offset - segment->offset);
}

static inline const char *symbol_table_name(const struct symbol_table *table,
					    const struct parser_symbol *symbol)
{
	return table->names + symbol->name;
}
