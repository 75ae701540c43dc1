/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * code_list - what a JIT compiler said that it put into memory, with times, names and lines
 *
 * Limits     those of parser.h (PARSER_CODES_MAX and the next ones). Of more, the last ones are
 *            kept, since what runs long after its program began was compiled late: the first codes
 *            lose their lines with the paths, and where that does not do their names, which is
 *            flagged (PARSER_CODES_TRUNCATED). A name is cut at PARSER_NAME_MAX.
 * Cost       n log n in the codes, whatever they are.
 */

#include <stdbool.h>

#include "symbolizer/parser/parser.h"

struct code_record {
	struct parser_code code;
	uint64_t index; /* the compiler's own number of the code, the same after a move */
	uint64_t moved_from;
	bool is_move; /* its name and lines are those of the code that was there */
};

struct code_list {
	struct code_record *records; /* owned, as are the next two */
	struct parser_code_line *lines;
	char *names;
	uint32_t count, capacity;
	uint32_t line_count, line_capacity;
	uint32_t name_bytes, name_capacity;
	uint32_t flags; /* enum parser_codes_flag */
};

/*
 * Before what belongs to another code is added, as long as the list takes more: leaves out the
 * first ones where it is almost full. Each line must be one of a code.
 */
void code_list_make_room(struct code_list *list);
/* Return, of all that add: 0, also where a limit is met; PARSER_FAILED (memory). */
int code_list_add(struct code_list *list, const struct code_record *record);
/* @bytes: without a NUL. *ret_name: PARSER_NO_NAME where a limit was met. */
int code_list_add_name(struct code_list *list, const char *name, uint32_t bytes,
		       uint32_t *ret_name);
int code_list_add_line(struct code_list *list, const struct parser_code_line *line);
/* Sorts the lines of a code; those that do not lie in it are its lines no more. */
void code_list_sort_lines(struct code_list *list, struct parser_code *code);
/* Ends what was moved and names what it became; a move of what is not known is left out. */
void code_list_follow_moves(struct code_list *list);
void code_list_free(struct code_list *list);
