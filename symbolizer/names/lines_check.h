/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * lines_check - the parser's table of lines, believed only after every field was checked
 */

#include <stddef.h>

#include "symbolizer/parser/parser.h"

#define LINES_CHECK_MAX_BYTES                                                                  \
	(sizeof(struct parser_line_table) + PARSER_OFFSETS_MAX * sizeof(struct parser_place) + \
	 PARSER_CALLS_MAX * sizeof(struct parser_call) + PARSER_NAMES_MAX)

struct lines_check {
	const struct parser_line_table *header;
	const struct parser_place *places;
	const struct parser_call *calls;
	const char *names; /* name_bytes, the last one NUL */
};

/*
 * @blob: must not change any more (sealed). @count: addresses that were asked for.
 * Return: 0, -EBADMSG.
 */
int lines_check_check(struct lines_check *lines, const void *blob, size_t bytes, uint32_t count);
