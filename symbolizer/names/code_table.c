/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code_table - which code lay at an address of one process when, as its parser sealed it
 */

#include "symbolizer/names/code_table.h"

#include <errno.h>
#include <stdbool.h>

#include "shared/search.h"

/* Lines that are compared: each code's, so several times where codes have the same ones. */
#define COMPARED_MAX (8ull * PARSER_CODE_LINES_MAX)

/* --- the check -------------------------------------------------------------------------------- */

static bool header_is_good(const struct parser_code_table *header)
{
	return header->magic == PARSER_CODES_MAGIC && header->flags <= PARSER_CODES_FLAGS_ALL &&
	       header->code_count <= PARSER_CODES_MAX &&
	       header->span_count <= PARSER_CODE_SPANS_MAX &&
	       header->version_count <= PARSER_CODE_VERSIONS_MAX &&
	       header->line_count <= PARSER_CODE_LINES_MAX &&
	       header->name_bytes <= PARSER_CODE_NAMES_MAX;
}

static bool lines_are_good(const struct code_table *table, const struct parser_code *code)
{
	const struct parser_code_line *lines;

	if (code->first_line > table->header->line_count ||
	    code->line_count > table->header->line_count - code->first_line)
		return false;
	if (!code->line_count)
		return true;
	lines = table->lines + code->first_line;
	for (uint32_t i = 1; i < code->line_count; i++)
		if (lines[i].offset < lines[i - 1].offset)
			return false;
	return true;
}

static bool codes_are_good(const struct code_table *table)
{
	const struct parser_code_table *header = table->header;
	uint64_t compared = 0;

	for (uint32_t i = 0; i < header->line_count; i++)
		if (table->lines[i].path >= header->name_bytes)
			return false;
	for (uint32_t i = 0; i < header->code_count; i++) {
		const struct parser_code *code = &table->codes[i];

		compared += code->line_count;
		if (!code->bytes || code->bytes > UINT64_MAX - code->start ||
		    code->name >= header->name_bytes || code->until < code->from ||
		    compared > COMPARED_MAX || !lines_are_good(table, code))
			return false;
	}
	return true;
}

/* Return: where the versions of span @index end. */
static uint32_t versions_end(const struct code_table *table, uint32_t index)
{
	return index + 1 < table->header->span_count ? table->spans[index + 1].first_version
						     : table->header->version_count;
}

static bool versions_are_good(const struct code_table *table, uint32_t index)
{
	const struct parser_code_span *span = &table->spans[index];
	const uint32_t end = versions_end(table, index);
	uint64_t from = 0;

	if (end <= span->first_version || end > table->header->version_count)
		return false;
	for (uint32_t i = span->first_version; i < end; i++) {
		const struct parser_code *code;

		if (table->versions[i] >= table->header->code_count)
			return false;
		code = &table->codes[table->versions[i]];
		if (code->from < from || span->start < code->start ||
		    span->start + span->bytes > code->start + code->bytes)
			return false;
		from = code->from;
	}
	return true;
}

static bool spans_are_good(const struct code_table *table)
{
	const struct parser_code_table *header = table->header;
	uint64_t end = 0;

	if (header->span_count ? table->spans[0].first_version != 0 : header->version_count != 0)
		return false;
	for (uint32_t i = 0; i < header->span_count; i++) {
		const struct parser_code_span *span = &table->spans[i];

		if (span->start < end || !span->bytes || span->bytes > UINT64_MAX - span->start ||
		    !versions_are_good(table, i))
			return false;
		end = span->start + span->bytes;
	}
	return true;
}

int code_table_parse(struct code_table *table, const void *blob, size_t bytes, size_t *ret_bytes)
{
	struct code_table parsed = {.header = blob};
	const uint8_t *at = blob;
	uint64_t need = sizeof(*parsed.header);

	if (bytes < need || !header_is_good(blob))
		return -EBADMSG;
	parsed.codes = (const void *)(at + need);
	need += parsed.header->code_count * sizeof(*parsed.codes);
	parsed.spans = (const void *)(at + need);
	need += parsed.header->span_count * sizeof(*parsed.spans);
	parsed.versions = (const void *)(at + need);
	need += parsed.header->version_count * sizeof(*parsed.versions);
	parsed.lines = (const void *)(at + need);
	need += parsed.header->line_count * sizeof(*parsed.lines);
	parsed.names = (const char *)(at + need);
	need += parsed.header->name_bytes;
	if (bytes < need ||
	    (parsed.header->name_bytes && parsed.names[parsed.header->name_bytes - 1] != '\0') ||
	    !codes_are_good(&parsed) || !spans_are_good(&parsed))
		return -EBADMSG;
	*ret_bytes = (size_t)need;
	*table = parsed;
	return 0;
}

/* --- looking up ------------------------------------------------------------------------------- */

static bool span_is_behind(const void *list, uint32_t index, uint64_t address)
{
	return ((const struct parser_code_span *)list)[index].start > address;
}

struct versions { /* of one span */
	const struct code_table *table;
	uint32_t first;
};

static bool version_is_behind(const void *list, uint32_t index, uint64_t ktime)
{
	const struct versions *of = list;

	return of->table->codes[of->table->versions[of->first + index]].from > ktime;
}

/* Of the versions in [first, end): the last that had begun. */
static uint32_t version_at(const struct code_table *table, uint32_t first, uint32_t end,
			   uint64_t ktime)
{
	const struct versions of = {table, first};
	uint32_t behind = search_first(&of, end - first, ktime, version_is_behind);
	uint32_t last = first + behind - 1;

	return behind && table->codes[table->versions[last]].until > ktime ? last : CODE_TABLE_NONE;
}

uint32_t code_table_find(const struct code_table *table, uint64_t address, uint64_t ktime,
			 uint32_t *ret_offset)
{
	uint32_t at =
		search_first(table->spans, table->header->span_count, address, span_is_behind);
	const struct parser_code_span *span;
	uint32_t end;

	if (!at || address - table->spans[at - 1].start >= table->spans[at - 1].bytes)
		return CODE_TABLE_NONE;
	span = &table->spans[at - 1];
	end = versions_end(table, at - 1);
	*ret_offset = (uint32_t)(address - span->start);
	if (ktime)
		return version_at(table, span->first_version, end, ktime);
	return end - span->first_version == 1 ? span->first_version : CODE_TABLE_NONE;
}

static bool first_version_is_behind(const void *list, uint32_t index, uint64_t version)
{
	return ((const struct parser_code_span *)list)[index].first_version > version;
}

const struct parser_code *code_table_code(const struct code_table *table, uint32_t version,
					  uint32_t offset, uint64_t *ret_address)
{
	const struct parser_code_span *span;

	if (version >= table->header->version_count)
		return NULL;
	span = &table->spans[search_last(table->spans, table->header->span_count, version,
					 first_version_is_behind)];
	if (offset >= span->bytes)
		return NULL;
	*ret_address = span->start + offset;
	return &table->codes[table->versions[version]];
}

static bool line_is_behind(const void *list, uint32_t index, uint64_t offset)
{
	return ((const struct parser_code_line *)list)[index].offset > offset;
}

const struct parser_code_line *code_table_line(const struct code_table *table,
					       const struct parser_code *code, uint64_t address)
{
	const struct parser_code_line *lines;
	uint32_t behind;

	if (!code->line_count)
		return NULL;
	lines = table->lines + code->first_line;
	behind = search_first(lines, code->line_count, address - code->start, line_is_behind);
	return behind ? &lines[behind - 1] : NULL;
}
