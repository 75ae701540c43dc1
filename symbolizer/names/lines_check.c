/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines_check - the parser's table of lines, believed only after every field was checked
 */

#include "symbolizer/names/lines_check.h"

#include <errno.h>
#include <stdbool.h>

static bool header_is_good(const struct parser_line_table *header, uint32_t count)
{
	return header->magic == PARSER_LINES_MAGIC && header->place_count == count &&
	       count <= PARSER_OFFSETS_MAX && header->call_count <= PARSER_CALLS_MAX &&
	       header->name_bytes <= PARSER_NAMES_MAX && header->flags <= PARSER_LINES_FLAGS_ALL &&
	       header->build_id_bytes <= sizeof(header->build_id);
}

static bool places_are_good(const struct lines_check *lines)
{
	uint32_t calls = lines->header->call_count;

	for (uint32_t i = 0; i < lines->header->place_count; i++)
		if (lines->places[i].first_call > calls ||
		    lines->places[i].call_count > calls - lines->places[i].first_call)
			return false;
	return true;
}

static bool name_is_good(const struct lines_check *lines, uint32_t name)
{
	return name == PARSER_NO_NAME || name < lines->header->name_bytes;
}

static bool calls_are_good(const struct lines_check *lines)
{
	for (uint32_t i = 0; i < lines->header->call_count; i++)
		if (!name_is_good(lines, lines->calls[i].function) ||
		    !name_is_good(lines, lines->calls[i].file))
			return false;
	return true;
}

int lines_check_check(struct lines_check *lines, const void *blob, size_t bytes, uint32_t count)
{
	const struct parser_line_table *header = blob;
	struct lines_check checked = {.header = header};
	uint64_t need = sizeof(*header);

	if (bytes < need || !header_is_good(header, count))
		return -EBADMSG;
	checked.places = (const void *)(header + 1);
	need += header->place_count * sizeof(*checked.places);
	checked.calls = (const void *)((const uint8_t *)blob + need);
	need += header->call_count * sizeof(*checked.calls);
	checked.names = (const char *)blob + need;
	need += header->name_bytes;
	if (bytes < need || (header->name_bytes && checked.names[header->name_bytes - 1]) ||
	    !places_are_good(&checked) || !calls_are_good(&checked))
		return -EBADMSG;
	*lines = checked;
	return 0;
}
