/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * symbol_reader - reads the code symbols of .symtab or .dynsym into a list
 *
 * Trust      symbols are read in pieces, each copied once, strings into memory of their own, behind
 *            which nothing is ever read. A table that makes no sense is left out, a larger one than
 *            the limits is read up to there, and the list is usable in each case.
 */

#include "symbolizer/parser/elf/image.h"
#include "symbolizer/parser/symbols/symbol_list.h"

#define SYMBOL_READER_ENTRIES_MAX (16u << 20)  /* of a table, whatever their types */
#define SYMBOL_READER_STRINGS_MAX (128u << 20) /* bytes */

struct symbol_reader {
	const struct image *image;
	const struct image_source *source;
	uint8_t number;                /* of the strings in the list */
	char *bytes;                   /* owned */
	struct symbol_strings strings; /* in them; used by the lists that were filled */
	bool found;                    /* there was a code symbol */
	bool malformed;                /* the table, or a part, was left out */
	bool truncated;                /* a limit was met */
};

/* Adds the code symbols of the first section of @type.
 * Return: 0, PARSER_FAILED (memory, reading). */
int symbol_reader_read(struct symbol_reader *reader, uint32_t type, struct symbol_list *list);
void symbol_reader_close(struct symbol_reader *reader);
