/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbol_blob - writes the answer to PARSER_SYMBOLS: ranges, segments, names that are used
 */

#include "symbolizer/parser/symbols/symbol_blob.h"

#include <stdlib.h>
#include <string.h>

#define PLT_SUFFIX "@plt"

_Static_assert(sizeof(struct parser_symbol_table) % 8 == 0 && sizeof(struct parser_segment) == 32 &&
		       sizeof(struct parser_symbol) == 16,
	       "each part of the result is aligned");

static int by_offset(const void *left, const void *right)
{
	const struct parser_segment *a = left, *b = right;

	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return (int)(b->flags & PF_X) - (int)(a->flags & PF_X);
}

/* Where two segments overlap in the file, one that is executable is kept. Return: their number. */
static uint32_t take_segments(const struct image *image, struct parser_segment *segments)
{
	uint32_t found = 0, count = 0;

	for (uint32_t i = 0; i < image->segment_count; i++) {
		const Elf64_Phdr *from = &image->segments[i];

		if (from->p_type == PT_LOAD && from->p_filesz && from->p_offset < image->bytes &&
		    from->p_filesz <= image->bytes - from->p_offset &&
		    from->p_filesz <= UINT64_MAX - from->p_vaddr)
			segments[found++] = (struct parser_segment){
				from->p_offset, from->p_vaddr, from->p_filesz, from->p_flags, 0};
	}
	if (found)
		qsort(segments, found, sizeof(*segments), by_offset);
	for (uint32_t i = 0; i < found; i++) {
		struct parser_segment *last = count ? &segments[count - 1] : NULL;

		if (!last || last->offset + last->bytes <= segments[i].offset)
			segments[count++] = segments[i];
		else if (segments[i].flags & PF_X && !(last->flags & PF_X))
			*last = segments[i];
	}
	return count;
}

static uint64_t name_bytes(const struct symbol_range *range)
{
	return strnlen(range->name, PARSER_NAME_MAX) +
	       (range->symbol & SYMBOL_RANGE_PLT ? strlen(PLT_SUFFIX) : 0) + 1;
}

static uint64_t text_bytes(const char *text)
{
	return text ? strnlen(text, PARSER_NAME_MAX) + 1 : 0;
}

/* Fills the symbols; those whose names fit, up to the first that does not.
 * Return: 0, PARSER_FAILED (memory). */
static int write_symbols(const struct symbol_ranges *ranges, struct parser_symbol_table *header,
			 struct parser_symbol *symbols, uint32_t numbers)
{
	uint32_t *names = calloc(numbers + 1ull, sizeof(*names)); /* of each number, from 1 on */

	if (!names)
		return PARSER_FAILED;
	for (uint32_t i = 0; i < ranges->count; i++) {
		const struct symbol_range *range = &ranges->list[i];
		uint32_t *name = &names[range->symbol & ~SYMBOL_RANGE_PLT];
		uint64_t bytes = *name ? 0 : name_bytes(range);

		if (header->name_bytes + bytes > PARSER_SYMBOLS_NAMES_MAX) {
			header->flags |= PARSER_SYMBOLS_TRUNCATED;
			break;
		}
		if (!*name)
			*name = header->name_bytes + 1;
		symbols[i] = (struct parser_symbol){range->start, range->bytes, *name - 1};
		header->name_bytes += (uint32_t)bytes;
		header->symbol_count++;
	}
	free(names);
	return 0;
}

/* Copies each name to where its first symbol says that it is. Return: the bytes. */
static uint32_t write_names(const struct symbol_ranges *ranges, const struct parser_symbol *symbols,
			    uint32_t count, char *names)
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct symbol_range *range = &ranges->list[i];
		size_t length = strnlen(range->name, PARSER_NAME_MAX);

		if (symbols[i].name != used)
			continue;
		memcpy(names + used, range->name, length);
		if (range->symbol & SYMBOL_RANGE_PLT)
			memcpy(names + used + length, PLT_SUFFIX, strlen(PLT_SUFFIX));
		used += (uint32_t)name_bytes(range);
		names[used - 1] = '\0';
	}
	return used;
}

/* Return: where the text lies in the names. */
static uint32_t write_text(const char *text, char *names, uint32_t *used)
{
	uint32_t at = *used;

	if (!text)
		return PARSER_NO_NAME;
	*used += (uint32_t)text_bytes(text);
	memcpy(names + at, text, *used - at - 1);
	names[*used - 1] = '\0';
	return at;
}

int symbol_blob_write(struct result_blob *result, const struct image *image,
		      const struct symbol_ranges *ranges, const struct symbol_file *file)
{
	struct parser_segment *segments = calloc(image->segment_count + 1ull, sizeof(*segments));
	struct parser_symbol *symbols = calloc(ranges->count + 1ull, sizeof(*symbols));
	struct parser_symbol_table header = file->header, *blob = NULL;
	uint64_t segment_bytes, symbol_bytes;
	uint32_t used;
	char *names;

	if (segments && symbols && !write_symbols(ranges, &header, symbols, file->numbers)) {
		used = header.name_bytes;
		header.name_bytes +=
			(uint32_t)(text_bytes(file->debuglink) + text_bytes(file->altlink) +
				   text_bytes(file->go_build_id));
		header.segment_count = take_segments(image, segments);
		segment_bytes = header.segment_count * sizeof(*segments);
		symbol_bytes = header.symbol_count * sizeof(*symbols);
		result->bytes = sizeof(header) + segment_bytes + symbol_bytes + header.name_bytes;
		blob = malloc(result->bytes);
	}
	if (blob) {
		memcpy(blob + 1, segments, segment_bytes);
		names = (char *)(blob + 1) + segment_bytes;
		memcpy(names, symbols, symbol_bytes);
		names += symbol_bytes;
		(void)write_names(ranges, symbols, header.symbol_count, names);
		header.debuglink = write_text(file->debuglink, names, &used);
		header.altlink = write_text(file->altlink, names, &used);
		header.go_build_id = write_text(file->go_build_id, names, &used);
		*blob = header;
	}
	result->data = blob;
	free(segments);
	free(symbols);
	return blob ? PARSER_OK : PARSER_FAILED;
}
