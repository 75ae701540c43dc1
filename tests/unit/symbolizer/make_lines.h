/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * make_lines - a table of lines for two addresses, for tests: two calls at the first, none at the
 * second
 */

#include "symbolizer/parser/parser.h"

#define MAKE_LINES_PLACES 2

struct lines {
	struct parser_line_table header;
	struct parser_place places[MAKE_LINES_PLACES];
	struct parser_call calls[2];
	char names[24];
};

static inline struct lines make_lines(void)
{
	return (struct lines){
		.header = {.magic = PARSER_LINES_MAGIC,
			   .place_count = MAKE_LINES_PLACES,
			   .call_count = 2,
			   .name_bytes = 24,
			   .flags = PARSER_LINES_HAS_DWARF,
			   .build_id_bytes = 2,
			   .build_id = {0xab, 0x01}}, /* as make_symbols */
		.places = {{0, 2}, {2, 0}},
		.calls = {{1, 7, 12, 10}, {11, 18, 34, 30}},
		.names = "\0inner\0a.h\0outer1\0b.cc\0",
	};
}
