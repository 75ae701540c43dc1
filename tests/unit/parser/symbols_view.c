/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbols_view - checks the answer to PARSER_SYMBOLS against all that parser.h promises
 */

#include "tests/unit/parser/symbols_view.h"

#include "shared/search.h"

static const char *check_header(const struct parser_symbol_table *header)
{
	if (header->magic != PARSER_SYMBOLS_MAGIC)
		return "magic";
	if (header->segment_count > PARSER_SEGMENTS_MAX ||
	    header->symbol_count > PARSER_SYMBOLS_MAX)
		return "a count";
	if (header->build_id_bytes > PARSER_BUILD_ID_MAX ||
	    header->altlink_build_id_bytes > PARSER_BUILD_ID_MAX)
		return "a build id";
	if (header->debuglink != PARSER_NO_NAME && header->debuglink >= header->name_bytes)
		return "the debuglink";
	if (header->altlink != PARSER_NO_NAME && header->altlink >= header->name_bytes)
		return "the altlink";
	if (header->go_build_id != PARSER_NO_NAME && header->go_build_id >= header->name_bytes)
		return "the Go build id";
	return NULL;
}

static const char *check_segments(const struct symbols_view *view)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < view->header->segment_count; i++) {
		const struct parser_segment *segment = &view->segments[i];

		if (segment->offset < end || !segment->bytes ||
		    segment->bytes > UINT64_MAX - segment->offset ||
		    segment->bytes > UINT64_MAX - segment->vaddr || segment->pad)
			return "a segment";
		end = segment->offset + segment->bytes;
	}
	return NULL;
}

static const char *check_symbols(const struct symbols_view *view)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < view->header->symbol_count; i++) {
		const struct parser_symbol *symbol = &view->symbols[i];

		if (symbol->start < end || !symbol->bytes ||
		    symbol->bytes > UINT64_MAX - symbol->start)
			return "a symbol's range";
		if (symbol->name >= view->header->name_bytes || !view->names[symbol->name] ||
		    (symbol->name && view->names[symbol->name - 1]))
			return "a symbol's name";
		end = symbol->start + symbol->bytes;
	}
	return NULL;
}

const char *symbols_view_open(struct symbols_view *view, const void *blob, size_t bytes)
{
	const struct parser_symbol_table *header = blob;
	const char *wrong;

	if (bytes < sizeof(*header))
		return "the size";
	wrong = check_header(header);
	if (wrong)
		return wrong;
	view->header = header;
	view->segments = (const void *)(header + 1);
	view->symbols = (const void *)(view->segments + header->segment_count);
	view->names = (const void *)(view->symbols + header->symbol_count);
	if (bytes != (size_t)(view->names - (const char *)blob) + header->name_bytes)
		return "the size";
	if (header->name_bytes && view->names[header->name_bytes - 1])
		return "the end of the names";
	wrong = check_segments(view);
	return wrong ? wrong : check_symbols(view);
}

static bool is_behind(const void *symbols, uint32_t index, uint64_t vaddr)
{
	return ((const struct parser_symbol *)symbols)[index].start > vaddr;
}

const struct parser_symbol *symbols_view_find(const struct symbols_view *view, uint64_t vaddr)
{
	uint32_t index = search_last(view->symbols, view->header->symbol_count, vaddr, is_behind);
	const struct parser_symbol *symbol = &view->symbols[index];

	return view->header->symbol_count && vaddr >= symbol->start &&
			       vaddr - symbol->start < symbol->bytes
		       ? symbol
		       : NULL;
}
