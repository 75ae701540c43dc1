/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segments - maps file offsets to addresses and back, and finds notes
 */

#include "symbolizer/parser/elf/segments.h"

#include <stdbool.h>
#include <string.h>

#include "symbolizer/parser/parser.h"

static bool contains(const Elf64_Phdr *segment, uint64_t offset)
{
	return segment->p_type == PT_LOAD && offset >= segment->p_offset &&
	       offset - segment->p_offset < segment->p_filesz;
}

const Elf64_Phdr *segments_find(const struct image *image, uint64_t offset)
{
	const Elf64_Phdr *other = NULL;

	for (uint32_t i = 0; i < image->segment_count; i++) {
		const Elf64_Phdr *segment = &image->segments[i];

		if (!contains(segment, offset))
			continue;
		if (segment->p_flags & PF_X)
			return segment;
		if (!other)
			other = segment;
	}
	return other;
}

const Elf64_Phdr *segments_of_code(const struct image *image, uint64_t vaddr)
{
	for (uint32_t i = 0; i < image->segment_count; i++) {
		const Elf64_Phdr *segment = &image->segments[i];

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X &&
		    vaddr >= segment->p_vaddr && vaddr - segment->p_vaddr < segment->p_filesz)
			return segment;
	}
	return NULL;
}

static uint64_t round_up_4(uint64_t bytes)
{
	return (bytes + 3) & ~3ull;
}

const uint8_t *segments_note_in(const uint8_t *notes, uint64_t bytes,
				const struct segments_note *kind, uint32_t *ret_bytes)
{
	uint64_t at = 0;

	while (bytes - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;
		uint64_t name, content, next;

		memcpy(&note, notes + at, sizeof(note));
		name = at + sizeof(note);
		content = name + round_up_4(note.n_namesz);
		next = content + round_up_4(note.n_descsz);
		if (next > bytes)
			return NULL;
		if (note.n_type == kind->type && note.n_namesz == kind->name_bytes &&
		    memcmp(notes + name, kind->name, kind->name_bytes) == 0 &&
		    note.n_descsz <= kind->most) {
			*ret_bytes = note.n_descsz;
			return notes + content;
		}
		at = next;
	}
	return NULL;
}

int segments_read_notes(struct image *image, const struct image_source *source)
{
	int r = 0;

	for (uint32_t i = 0; i < image->segment_count; i++) {
		Elf64_Phdr segment = image->segments[i];
		int read;

		if (segment.p_type != PT_NOTE)
			continue;
		read = segment.p_filesz > SEGMENTS_NOTES_MAX
			       ? PARSER_TOO_LARGE
			       : image_fill(image, source, segment.p_offset, segment.p_filesz);
		if (read == PARSER_FAILED)
			return read;
		r = read ? read : r;
	}
	return r;
}

const uint8_t *segments_note(const struct image *image, const struct segments_note *kind,
			     uint32_t *ret_bytes)
{
	for (uint32_t i = 0; i < image->segment_count; i++) {
		const Elf64_Phdr *segment = &image->segments[i];
		const uint8_t *content;

		if (segment->p_type != PT_NOTE || segment->p_offset > image->bytes ||
		    segment->p_filesz > image->bytes - segment->p_offset)
			continue;
		content = segments_note_in(image->copy + segment->p_offset, segment->p_filesz, kind,
					   ret_bytes);
		if (content)
			return content;
	}
	return NULL;
}
