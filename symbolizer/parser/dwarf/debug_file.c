/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug_file - opens the DWARF of a file: its own, or that of its separate debug file
 */

#include "symbolizer/parser/dwarf/debug_file.h"

#include <string.h>

#include "symbolizer/parser/elf/segments.h"

/* From the section: a debug file's segments are those of the file that it belongs to, and their
 * bytes are elsewhere. */
static int read_section_id(struct build_id *id, const struct sections *sections)
{
	struct section notes;
	int r = sections_load(sections, ".note.gnu.build-id", &notes);

	if (!r && notes.bytes)
		id->count =
			segments_build_id_in(notes.bytes, notes.size, id->bytes, sizeof(id->bytes));
	return r;
}

/* From the segments: a file may have no sections. */
static int read_segment_id(struct build_id *id, struct image *image,
			   const struct image_source *source)
{
	for (uint32_t i = 0; i < image->segment_count; i++) {
		Elf64_Phdr segment = image->segments[i];
		int r;

		if (segment.p_type != PT_NOTE)
			continue;
		r = image_fill(image, source, segment.p_offset, segment.p_filesz);
		if (r && r != PARSER_MALFORMED)
			return r;
	}
	id->count = segments_build_id(image, id->bytes, sizeof(id->bytes));
	return 0;
}

static int read_id(struct build_id *id, const struct sections *sections)
{
	int r;

	*id = (struct build_id){0};
	r = read_section_id(id, sections);
	if (!r && !id->count)
		r = read_segment_id(id, sections->image, sections->source);
	return r;
}

static int open_debug(struct debug_sections *debug, struct build_id *id,
		      const struct image_source *source)
{
	const struct build_id own = *id;
	struct sections sections;
	struct image image;
	int r = image_open(&image, source);

	if (!r)
		r = sections_open(&sections, &image, source);
	if (!r)
		r = read_id(id, &sections);
	if (!r &&
	    (!own.count || own.count != id->count || memcmp(own.bytes, id->bytes, own.count) != 0))
		r = PARSER_REFUSED;
	if (!r)
		r = debug_sections_open(debug, &sections);
	image_close(&image);
	return r;
}

int debug_file_open(struct debug_sections *debug, struct build_id *ret_id,
		    const struct image_source *file, const struct image_source *separate)
{
	struct sections sections;
	struct image image;
	int r = image_open(&image, file);

	if (!r)
		r = sections_open(&sections, &image, file);
	if (!r)
		r = read_id(ret_id, &sections);
	if (!r)
		r = separate ? open_debug(debug, ret_id, separate)
			     : debug_sections_open(debug, &sections);
	image_close(&image);
	return r;
}
