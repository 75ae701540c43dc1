/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * symbols_compile - makes the symbol table of one ELF file from all that names its functions
 *
 * Order      .symtab; below it, in its gaps, .dynsym with .gnu_debugdata; then stubs of the PLT;
 *            then Go's pclntab. A part that is malformed or too large is left out or cut, the
 *            others stay, and the flags say so.
 * Reads      nothing but @source: no descriptor, no clock.
 */

#include "symbolizer/parser/elf/image.h"
#include "symbolizer/parser/parser.h"
#include "symbolizer/parser/result_blob.h"

/* Return: an enum parser_status; with PARSER_OK, @result is a parser_symbol_table of parser.h. */
int symbols_compile(struct result_blob *result, const struct image_source *source);
