/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * result_check - the parser's result, believed only after every field was checked
 */

#include <stddef.h>

#include "symbolizer/parser/parser.h"

#define RESULT_CHECK_MAX_BYTES                                                                  \
	(sizeof(struct parser_result) + PARSER_OFFSETS_MAX * sizeof(struct parser_place_name) + \
	 PARSER_NAMES_MAX)

struct result_check {
	const struct parser_result *header;
	const struct parser_place_name *symbols;
	const char *names; /* name_bytes, the last one NUL */
};

/*
 * @blob: must not change any more (sealed). @count: offsets that were asked.
 * Return: 0, -EBADMSG.
 */
int result_check_check(struct result_check *parsed, const void *blob, size_t bytes, uint32_t count);
