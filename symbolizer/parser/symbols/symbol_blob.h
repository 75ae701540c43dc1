/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * symbol_blob - writes the answer to PARSER_SYMBOLS: ranges, segments, names that are used
 */

#include "symbolizer/parser/elf/image.h"
#include "symbolizer/parser/parser.h"
#include "symbolizer/parser/result_blob.h"
#include "symbolizer/parser/symbols/symbol_ranges.h"

/* What is known of the file besides. */
struct symbol_file {
	struct parser_symbol_table header; /* flags, build ids and CRC are the caller's */
	const char *debuglink;             /* NUL-terminated, borrowed; NULL: none */
	const char *altlink;               /* likewise */
	const char *go_build_id;           /* likewise */
	uint32_t numbers;                  /* given to symbols */
};

/* Return: 0, PARSER_FAILED (memory). */
int symbol_blob_write(struct result_blob *result, const struct image *image,
		      const struct symbol_ranges *ranges, const struct symbol_file *file);
