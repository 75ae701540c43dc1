/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * plt - the stubs through which a file calls functions of others, as a list of symbols
 *
 * How        a stub jumps to where a slot of the GOT points, and a relocation says whose address
 *            the loader puts there: that of a symbol of .dynsym, or that of an indirect function of
 *            the file itself, for which its resolver's name stands.
 * Limits     PLT_RELOCATIONS_MAX relocations of slots, PLT_SECTION_MAX bytes of each section of
 *            stubs.
 * Source     the x86-64 psABI; the stubs of GNU ld, lld and mold.
 */

#include "symbolizer/parser/elf/sections.h"
#include "symbolizer/parser/symbols/symbol_ranges.h"

#define PLT_RELOCATIONS_MAX (1u << 20)
#define PLT_SECTION_MAX     (16u << 20)
#define PLT_DYNSYM_MAX      (64u << 20)

/* The sources of @list's strings: those of .dynsym, and those to which the resolvers' names belong.
 * @resolvers: whose names are looked up. Return: 0, or an enum parser_status. */
int plt_read(const struct sections *sections, const struct symbol_ranges *resolvers,
	     struct symbol_list *list);
