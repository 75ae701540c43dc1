/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * demangle_check - the parser's demangled names, believed only after every field was checked
 */

#include <stddef.h>

#include "symbolizer/parser/parser.h"

#define DEMANGLE_CHECK_MAX_BYTES           \
	(sizeof(struct parser_demangled) + \
	 PARSER_DEMANGLE_MAX * (sizeof(uint32_t) + PARSER_DISPLAY_MAX + 1))

struct demangle_check {
	const uint32_t *places; /* of each name: into the texts, or PARSER_NO_NAME */
	const char *texts;
};

/*
 * @blob: must not change any more (sealed). @count: names that were asked. A text is not longer
 * than PARSER_DISPLAY_MAX and not empty. Return: 0, -EBADMSG.
 */
int demangle_check(struct demangle_check *checked, const void *blob, size_t bytes, uint32_t count);
