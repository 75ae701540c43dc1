/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug_section - the bytes of one DWARF section, of which only what is used is read
 */

#include "symbolizer/parser/dwarf/debug_section.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "symbolizer/parser/parser.h"

static const uint8_t nothing[1];

void debug_section_open(struct debug_section *section, const struct stored_section *stored,
			const struct image_source *source)
{
	*section =
		(struct debug_section){.stored = *stored, .source = source, .size = stored->bytes};
}

static uint64_t mapped_bytes(const struct debug_section *section)
{
	return section->stored.bytes + 1; /* what ends the last string */
}

static uint64_t block_count(const struct debug_section *section)
{
	return section->size / DEBUG_SECTION_BLOCK + 1;
}

static void fail(struct debug_section *section, int status)
{
	section->status = status;
	section->size = 0;
}

static void first_use(struct debug_section *section)
{
	bool is_plain = section->stored.form == STORED_PLAIN;
	bool is_whole = !is_plain || section->size <= DEBUG_SECTION_SMALL;
	int r = sparse_copy_map(&section->copy, mapped_bytes(section), is_whole);

	if (r) {
		fail(section, r);
		return;
	}
	section->bytes = section->copy.bytes;
	/* Page faults cost as much as the copy itself. */
	if (is_whole)
		(void)madvise(section->bytes, mapped_bytes(section), MADV_HUGEPAGE);
	if (is_plain) {
		section->is_loaded = calloc(block_count(section), 1);
		if (!section->is_loaded)
			fail(section, PARSER_FAILED);
		return;
	}
	r = stored_section_read(&section->stored, section->source, section->bytes);
	if (r)
		fail(section, r);
}

static void load_blocks(struct debug_section *section, uint64_t first, uint64_t end)
{
	while (first < end) {
		uint64_t behind = first, from = first * DEBUG_SECTION_BLOCK, to;

		while (behind < end && !section->is_loaded[behind])
			behind++;
		if (behind == first) {
			first++;
			continue;
		}
		to = behind * DEBUG_SECTION_BLOCK;
		to = to < section->size ? to : section->size;
		if (sparse_copy_open(&section->copy, from, to - from) ||
		    section->source->read(section->source->context, section->bytes + from,
					  section->stored.offset + from, to - from) < 0) {
			fail(section, PARSER_FAILED);
			return;
		}
		memset(section->is_loaded + first, 1, behind - first);
		first = behind;
	}
}

struct cursor debug_section_read(struct debug_section *section, uint64_t offset, uint64_t bytes)
{
	if (section->size && !section->bytes)
		first_use(section);
	if (offset >= section->size || !bytes)
		return cursor_of(nothing, 0);
	bytes = bytes < section->size - offset ? bytes : section->size - offset;
	if (section->is_loaded)
		load_blocks(section, offset / DEBUG_SECTION_BLOCK,
			    (offset + bytes - 1) / DEBUG_SECTION_BLOCK + 1);
	return section->size ? cursor_of(section->bytes + offset, bytes) : cursor_of(nothing, 0);
}

const char *debug_section_string(struct debug_section *section, uint64_t offset)
{
	uint64_t at = offset;

	while (at < section->size) {
		uint64_t bytes = DEBUG_SECTION_BLOCK - at % DEBUG_SECTION_BLOCK;
		struct cursor cursor = debug_section_read(section, at, bytes);

		if (!cursor_left(&cursor))
			return NULL;
		if (memchr(cursor.at, 0, cursor_left(&cursor)))
			break;
		at += cursor_left(&cursor);
	}
	return offset < section->size ? (const char *)section->bytes + offset : NULL;
}

void debug_section_close(struct debug_section *section)
{
	sparse_copy_close(&section->copy);
	free(section->is_loaded);
	*section = (struct debug_section){0};
}
