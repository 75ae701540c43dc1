/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * perf_map - makes a symbol table of a perf map, in which a JIT compiler names its functions
 *
 * Lines      "START SIZE NAME\n", both numbers hexadecimal; the name is the rest of the line. A
 *            line without its newline is still being written and is left out, as is one that does
 *            not parse; those are flagged (PARSER_SYMBOLS_MALFORMED).
 * Choice     where lines overlap, the later one names the address: a compiler reuses memory.
 * Limits     @most bytes of the file and SYMBOL_LIST_MAX lines, the last of them: what runs long
 *            after its program began was compiled late. More is flagged
 *            (PARSER_SYMBOLS_TRUNCATED).
 * Cost       n log n in the lines, whatever they are.
 */

#include "symbolizer/parser/elf/image.h"
#include "symbolizer/parser/parser.h"
#include "symbolizer/parser/result_blob.h"

/*
 * Return: PARSER_OK: @result is a parser_symbol_table without segments; PARSER_CHANGED: the file
 * became shorter; PARSER_FAILED (memory).
 */
int perf_map_compile(struct result_blob *result, const struct image_source *source, uint64_t most);
