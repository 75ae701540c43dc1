/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbol_table - the symbols and segments of one file, as its parser sealed them
 */

#include "symbolizer/names/symbol_table.h"

#include <errno.h>
#include <stdbool.h>

#include "shared/cleanup.h"
#include "shared/search.h"

#define PAGE_BYTES 4096u /* less may follow the table: a memfd's size may have been rounded */

/* --- the check -------------------------------------------------------------------------------- */

static bool is_name(const struct parser_symbol_table *header, uint32_t name)
{
	return name == PARSER_NO_NAME || name < header->name_bytes;
}

static bool header_is_good(const struct parser_symbol_table *header)
{
	return header->magic == PARSER_SYMBOLS_MAGIC &&
	       header->segment_count <= PARSER_SEGMENTS_MAX &&
	       header->symbol_count <= PARSER_SYMBOLS_MAX &&
	       header->name_bytes <= PARSER_SYMBOLS_NAMES_MAX &&
	       header->build_id_bytes <= sizeof(header->build_id) &&
	       header->altlink_build_id_bytes <= sizeof(header->altlink_build_id) &&
	       is_name(header, header->debuglink) && is_name(header, header->altlink) &&
	       is_name(header, header->go_build_id);
}

static bool segments_are_good(const struct symbol_table *table)
{
	uint64_t end = 0; /* of the one before */

	for (uint32_t i = 0; i < table->header->segment_count; i++) {
		const struct parser_segment *segment = &table->segments[i];

		if (segment->offset < end || !segment->bytes ||
		    segment->bytes > UINT64_MAX - segment->offset ||
		    segment->bytes > UINT64_MAX - segment->vaddr)
			return false;
		end = segment->offset + segment->bytes;
	}
	return true;
}

static bool symbols_are_good(const struct symbol_table *table)
{
	const uint32_t name_bytes = table->header->name_bytes;
	uint64_t end = 0;

	for (uint32_t i = 0; i < table->header->symbol_count; i++) {
		const struct parser_symbol *symbol = &table->symbols[i];

		if (symbol->start < end || !symbol->bytes ||
		    symbol->bytes > UINT64_MAX - symbol->start || symbol->name >= name_bytes)
			return false;
		end = symbol->start + symbol->bytes;
	}
	return true;
}

static int parse_symbols(struct symbol_table *table, const void *blob, size_t bytes)
{
	struct symbol_table parsed = SYMBOL_TABLE_NULL;
	const uint8_t *at = blob;
	uint64_t need = sizeof(*parsed.header);

	if (bytes < need || !header_is_good(blob))
		return -EBADMSG;
	parsed.header = blob;
	parsed.segments = (const void *)(at + need);
	need += parsed.header->segment_count * sizeof(*parsed.segments);
	parsed.symbols = (const void *)(at + need);
	need += parsed.header->symbol_count * sizeof(*parsed.symbols);
	parsed.names = (const char *)(at + need);
	need += parsed.header->name_bytes;
	if (bytes < need || bytes - need >= PAGE_BYTES ||
	    (parsed.header->name_bytes && parsed.names[parsed.header->name_bytes - 1] != '\0') ||
	    !segments_are_good(&parsed) || !symbols_are_good(&parsed))
		return -EBADMSG;
	*table = parsed;
	return 0;
}

static int parse_codes(struct symbol_table *table, const void *blob, size_t bytes)
{
	static const struct parser_symbol_table none = {
		.magic = PARSER_SYMBOLS_MAGIC,
		.debuglink = PARSER_NO_NAME,
		.altlink = PARSER_NO_NAME,
		.go_build_id = PARSER_NO_NAME,
	};
	struct symbol_table parsed = SYMBOL_TABLE_NULL;
	size_t need;

	if (code_table_parse(&parsed.code, blob, bytes, &need) || bytes - need >= PAGE_BYTES)
		return -EBADMSG;
	parsed.header = &none;
	*table = parsed;
	return 0;
}

int symbol_table_parse(struct symbol_table *table, const void *blob, size_t bytes)
{
	const struct parser_code_table *header = blob;

	if (bytes >= sizeof(*header) && header->magic == PARSER_CODES_MAGIC)
		return parse_codes(table, blob, bytes);
	return parse_symbols(table, blob, bytes);
}

int symbol_table_open(struct symbol_table *table, int fd)
{
	struct symbol_table opened = SYMBOL_TABLE_NULL;
	struct tm_region region = TM_REGION_NULL;
	int r = tm_region_open_blob(&region, fd, SYMBOL_TABLE_BYTES_MAX);

	if (r < 0) {
		(void)tm_close(fd);
		return r;
	}
	region.fd = tm_close(region.fd); /* the mapping is enough, and descriptors are few */
	r = symbol_table_parse(&opened, region.addr, region.bytes);
	if (r < 0) {
		tm_region_close(&region);
		return r;
	}
	opened.region = region;
	*table = opened;
	return 0;
}

void symbol_table_close(struct symbol_table *table)
{
	tm_region_close(&table->region);
	*table = SYMBOL_TABLE_NULL;
}

/* --- looking up ------------------------------------------------------------------------------- */

static bool segment_is_behind(const void *list, uint32_t index, uint64_t offset)
{
	return ((const struct parser_segment *)list)[index].offset > offset;
}

static bool symbol_is_behind(const void *list, uint32_t index, uint64_t vaddr)
{
	return ((const struct parser_symbol *)list)[index].start > vaddr;
}

const struct parser_segment *symbol_table_segment(const struct symbol_table *table, uint64_t offset)
{
	uint32_t count = table->header->segment_count;
	uint32_t at = search_first(table->segments, count, offset, segment_is_behind);
	const struct parser_segment *segment;

	if (!at)
		return NULL;
	segment = &table->segments[at - 1];
	return offset - segment->offset < segment->bytes ? segment : NULL;
}

const struct parser_symbol *symbol_table_find(const struct symbol_table *table, uint64_t vaddr)
{
	uint32_t count = table->header->symbol_count;
	uint32_t at = search_first(table->symbols, count, vaddr, symbol_is_behind);
	const struct parser_symbol *symbol;

	if (!at)
		return NULL;
	symbol = &table->symbols[at - 1];
	return vaddr - symbol->start < symbol->bytes ? symbol : NULL;
}
