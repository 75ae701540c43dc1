/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line_result - collects the calls at each requested address, and writes the line table of them
 */

#include "symbolizer/parser/dwarf/line_result.h"

#include <stdlib.h>
#include <string.h>

#include "symbolizer/parser/grow.h"

int line_result_open(struct line_result *lines, uint32_t place_count)
{
	*lines = (struct line_result){.place_count = place_count};
	lines->places = calloc(place_count + 1ull, sizeof(*lines->places));
	return lines->places ? 0 : PARSER_FAILED;
}

int line_result_add(struct line_result *lines, uint32_t place, const struct parser_call *call)
{
	struct parser_place *own = &lines->places[place];
	struct parser_call *grown;

	if (lines->call_count == PARSER_CALLS_MAX) {
		lines->flags |= PARSER_LINES_TRUNCATED;
		*own = (struct parser_place){0};
		return 0;
	}
	grown = grow(lines->calls, lines->call_count, &lines->capacity, sizeof(*grown));
	if (!grown)
		return PARSER_FAILED;
	lines->calls = grown;
	if (!own->call_count)
		own->first_call = lines->call_count;
	own->call_count++;
	grown[lines->call_count++] = *call;
	return 0;
}

static void *append(uint8_t *to, const void *from, uint64_t bytes)
{
	if (bytes)
		memcpy(to, from, bytes);
	return to + bytes;
}

int line_result_write(const struct line_result *lines, const struct build_id *id,
		      struct result_blob *result)
{
	struct parser_line_table header = {
		.magic = PARSER_LINES_MAGIC,
		.place_count = lines->place_count,
		.call_count = lines->call_count,
		.name_bytes = lines->names.used,
		.flags = lines->flags | (lines->names.truncated ? PARSER_LINES_TRUNCATED : 0),
		.build_id_bytes = id->count};
	uint64_t places = lines->place_count * sizeof(*lines->places);
	uint64_t calls = lines->call_count * sizeof(*lines->calls);
	uint8_t *at;

	result->bytes = sizeof(header) + places + calls + header.name_bytes;
	result->data = malloc(result->bytes);
	if (!result->data)
		return PARSER_FAILED;
	memcpy(header.build_id, id->bytes, id->count);
	at = append(result->data, &header, sizeof(header));
	at = append(at, lines->places, places);
	at = append(at, lines->calls, calls);
	(void)append(at, lines->names.bytes, header.name_bytes);
	return 0;
}

void line_result_close(struct line_result *lines)
{
	free(lines->places);
	free(lines->calls);
	name_pool_free(&lines->names);
	*lines = (struct line_result){0};
}
