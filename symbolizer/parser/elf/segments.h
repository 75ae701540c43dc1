/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * segments - maps file offsets to addresses and back, and finds notes
 */

#include "symbolizer/parser/elf/image.h"

#define SEGMENTS_NOTES_MAX (1u << 20) /* bytes of one segment of notes that is read */

struct segments_note { /* a kind of notes */
	const char *name;
	uint32_t name_bytes; /* the NULs of its form included */
	uint32_t type;
	uint32_t most; /* bytes: one with a longer content is none */
};

/* The loadable segment that holds @offset, an executable one first; NULL: none. */
const Elf64_Phdr *segments_find(const struct image *image, uint64_t offset);
/* Copies the notes; malformed and larger ones are left out. Return: 0, or an enum parser_status. */
int segments_read_notes(struct image *image, const struct image_source *source);
/* What the first note of this kind contains, in place; NULL: there is none. */
const uint8_t *segments_note_in(const uint8_t *notes, uint64_t bytes,
				const struct segments_note *kind, uint32_t *ret_bytes);
/* The same from the segments of notes. */
const uint8_t *segments_note(const struct image *image, const struct segments_note *kind,
			     uint32_t *ret_bytes);
/* The executable segment whose file bytes hold an address; NULL: none. */
const Elf64_Phdr *segments_of_code(const struct image *image, uint64_t vaddr);
