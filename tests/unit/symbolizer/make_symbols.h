/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * make_symbols - a small symbol table that checks, for tests
 */

#include "symbolizer/parser/parser.h"

struct symbols { /* offset 0..0x1000 at vaddr 0x10000, 0x2000..0x3000 at 0x42000 */
	struct parser_symbol_table header;
	struct parser_segment segments[2];
	struct parser_symbol symbols[3];
	char names[16];
};

static inline struct symbols make_symbols(void)
{
	return (struct symbols){
		.header = {.magic = PARSER_SYMBOLS_MAGIC,
			   .flags = PARSER_SYMBOLS_HAS_SYMTAB,
			   .segment_count = 2,
			   .symbol_count = 3,
			   .name_bytes = 16,
			   .build_id_bytes = 2,
			   .build_id = {0xab, 0x01},
			   .debuglink = PARSER_NO_NAME,
			   .altlink = PARSER_NO_NAME,
			   .go_build_id = PARSER_NO_NAME},
		.segments = {{.vaddr = 0x10000, .bytes = 0x1000, .flags = 5},
			     {.offset = 0x2000, .vaddr = 0x42000, .bytes = 0x1000, .flags = 5}},
		.symbols = {{0x10010, 0x10, 1}, {0x10020, 0x10, 6}, {0x42000, 0x800, 11}},
		.names = "\0main\0help\0last",
	};
}
