/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame_sections - finds a file's .eh_frame and .debug_frame and lists their FDEs
 */

#include "symbolizer/parser/cfi/frame_sections.h"

#include <stdlib.h>

#include "symbolizer/parser/cfi/pointer.h"
#include "symbolizer/parser/elf/decompress.h"
#include "symbolizer/parser/parser.h"

#define HDR_BYTES 64u /* of .eh_frame_hdr: as many as its first pointer may need */

static int skip_section(struct code_ranges *ranges, int status)
{
	if (status == PARSER_FAILED)
		return status;
	ranges->truncated = true;
	return 0;
}

/* Without section headers the program header leads to .eh_frame_hdr, and that to .eh_frame. */
static int load_by_program_header(struct frame_sections *frames, const struct sections *sections)
{
	const struct image *image = sections->image;
	struct section header = {0};
	struct cursor cursor;
	uint64_t vaddr;
	int r = 0;

	for (uint32_t i = 0; !r && !header.bytes && i < image->segment_count; i++)
		if (image->segments[i].p_type == PT_GNU_EH_FRAME)
			r = sections_load_at(sections, image->segments[i].p_vaddr, HDR_BYTES,
					     &header);
	if (r || !header.bytes || header.size < 4 || header.bytes[0] != 1)
		return r;
	cursor = cursor_of(header.bytes, header.size);
	cursor_skip(&cursor, 4);
	if (pointer_read(&cursor, header.bytes[1], header.vaddr + 4, &vaddr) || cursor.is_past_end)
		return 0;
	return sections_load_at(sections, vaddr, IMAGE_MAX_BYTES, &frames->eh_frame);
}

int frame_sections_add_eh_frame(struct frame_sections *frames, const struct sections *sections,
				struct code_ranges *ranges)
{
	bool ends_at_zero = false;
	int r = sections_load(sections, ".eh_frame", &frames->eh_frame);

	if (!r && !frames->eh_frame.bytes) {
		ends_at_zero = true;
		r = load_by_program_header(frames, sections);
	}
	if (r)
		return skip_section(ranges, r);
	return fde_list_collect(ranges, &frames->cies, sections->image, &frames->eh_frame,
				CODE_RANGE_EH_FRAME, ends_at_zero);
}

int frame_sections_add_debug_frame(struct frame_sections *frames, const struct sections *sections,
				   struct code_ranges *ranges)
{
	int r = decompress_load(sections, ".debug_frame", &frames->debug_frame,
				&frames->decompressed);

	if (r)
		return skip_section(ranges, r);
	return fde_list_collect(ranges, &frames->cies, sections->image, &frames->debug_frame,
				CODE_RANGE_DEBUG_FRAME, false);
}

void frame_sections_free(struct frame_sections *frames)
{
	free(frames->decompressed);
	fde_list_free_cies(&frames->cies);
	*frames = (struct frame_sections){0};
}
