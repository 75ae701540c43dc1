/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * line_result - collects the calls at each requested address, and writes the line table of them
 */

#include "symbolizer/parser/dwarf/debug_file.h"
#include "symbolizer/parser/dwarf/name_pool.h"
#include "symbolizer/parser/result_blob.h"

struct line_result {
	struct parser_place *places; /* owned */
	uint32_t place_count;
	struct parser_call *calls; /* owned */
	uint32_t call_count, capacity;
	struct name_pool names;
	uint32_t flags; /* PARSER_LINES_... */
};

/* Return: 0, PARSER_FAILED. */
int line_result_open(struct line_result *lines, uint32_t place_count);
/* Adds the next call outwards of @place, all of whose calls are added in a row. Beyond
 * PARSER_CALLS_MAX the place has none. Return: 0, PARSER_FAILED. */
int line_result_add(struct line_result *lines, uint32_t place, const struct parser_call *call);
/* @id: of the file that was read. Return: 0, PARSER_FAILED. */
int line_result_write(const struct line_result *lines, const struct build_id *id,
		      struct result_blob *result);
void line_result_close(struct line_result *lines);
