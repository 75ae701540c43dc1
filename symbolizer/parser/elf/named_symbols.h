/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * named_symbols - where the symbols of known names lie, by which a file is recognized
 *
 * Cost       a file whose .dynstr or .strtab does not have the first name is done after one search
 *            in it.
 * Limits     NAMED_SYMBOLS_TABLE_MAX: a larger table of symbols or strings is not read.
 */

#include "symbolizer/parser/elf/sections.h"

#define NAMED_SYMBOLS_TABLE_MAX (32u << 20) /* bytes */

struct named_symbol {
	const char *name; /* below SECTIONS_WANTED_MAX bytes */
	uint64_t vaddr;   /* 0: absent */
	uint64_t bytes;
};

/* Looks those that are absent up in the first section of @type, SHT_DYNSYM or SHT_SYMTAB.
 * Return: 0, or an enum parser_status. */
int named_symbols_read(struct named_symbol *symbols, uint32_t count,
		       const struct sections *sections, uint32_t type);
