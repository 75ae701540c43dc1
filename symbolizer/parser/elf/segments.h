/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * segments - maps file offsets to addresses and back, and reads the build id from the notes
 */

#include "symbolizer/parser/elf/image.h"

#define SEGMENTS_NOTES_MAX (1u << 20) /* bytes of one segment of notes that is read */

/* The loadable segment that holds @offset, an executable one first; NULL: none. */
const Elf64_Phdr *segments_find(const struct image *image, uint64_t offset);
/* Copies the notes; malformed and larger ones are left out. Return: 0, or an enum parser_status. */
int segments_read_notes(struct image *image, const struct image_source *source);
/* Copies the GNU build id to @id. Return: its bytes; 0: none, or longer than @capacity. */
uint32_t segments_build_id(const struct image *image, uint8_t *id, uint32_t capacity);
/* The same from notes that a section holds. */
uint32_t segments_build_id_in(const uint8_t *notes, uint64_t bytes, uint8_t *id, uint32_t capacity);
/* The executable segment whose file bytes hold an address; NULL: none. */
const Elf64_Phdr *segments_of_code(const struct image *image, uint64_t vaddr);
