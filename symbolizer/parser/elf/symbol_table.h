/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * symbol_table - offers the function symbols of .symtab, then of .dynsym, as names
 *
 * There are two steps, so that the bytes that are checked cannot change: symbol_table_fill() copies
 * every table that is needed; symbol_table_offer() reads the copy alone, through libelf.
 */

#include "symbolizer/parser/elf/image.h"
#include "symbolizer/parser/elf/symbol_choice.h"

/* Return: 0, or an enum parser_status. */
int symbol_table_fill(struct image *image, const struct image_source *source);
/* Return: 0, or an enum parser_status. @ret_any: whether there is any function symbol. */
int symbol_table_offer(const struct image *image, struct symbol_choice *choice, bool *ret_any);
