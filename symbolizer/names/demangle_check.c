/* SPDX-License-Identifier: Apache-2.0 */
/*
 * demangle_check - the parser's demangled names, believed only after every field was checked
 */

#include "symbolizer/names/demangle_check.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static bool are_texts(const struct demangle_check *checked, uint32_t count, uint32_t text_bytes)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = checked->places[i];
		size_t length;

		if (at == PARSER_NO_NAME)
			continue;
		if (at >= text_bytes)
			return false;
		length = strnlen(checked->texts + at, PARSER_DISPLAY_MAX + 1);
		if (!length || length > PARSER_DISPLAY_MAX)
			return false;
	}
	return true;
}

int demangle_check(struct demangle_check *checked, const void *blob, size_t bytes, uint32_t count)
{
	const struct parser_demangled *header = blob;
	const size_t fixed = sizeof(*header) + (uint64_t)count * sizeof(uint32_t);

	if (count > PARSER_DEMANGLE_MAX || bytes < fixed ||
	    header->magic != PARSER_DEMANGLE_MAGIC || header->count != count ||
	    header->text_bytes > bytes - fixed)
		return -EBADMSG;
	checked->places = (const uint32_t *)(header + 1);
	checked->texts = (const char *)(checked->places + count);
	if (header->text_bytes && checked->texts[header->text_bytes - 1])
		return -EBADMSG;
	return are_texts(checked, count, header->text_bytes) ? 0 : -EBADMSG;
}
