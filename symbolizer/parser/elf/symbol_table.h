/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * symbol_table - the function symbols of .symtab, then of .dynsym, offered to pick
 *
 * Two steps, so that what is looked at can no longer change: symbol_table_fill copies every table that
 * is wanted; symbol_table_offer then reads the copy alone, through libelf.
 */

#include "symbolizer/parser/elf/image.h"
#include "symbolizer/parser/elf/symbol_choice.h"

/* Return: 0, or an enum parser_status. */
int symbol_table_fill(struct image *image, const struct image_source *source);
/* Return: 0, or an enum parser_status. @ret_any: whether there was any function symbol. */
int symbol_table_offer(const struct image *image, struct symbol_choice *pick, int *ret_any);
