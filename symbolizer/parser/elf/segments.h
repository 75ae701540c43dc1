/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * segments - where the loader puts a file offset
 */

#include "symbolizer/parser/elf/image.h"

/* The loadable segment that holds @offset, an executable one first; NULL: none. */
const Elf64_Phdr *segments_find(const struct image *image, uint64_t offset);
/* Fills @id with the GNU build id of the notes. Return: its bytes, 0 for none. */
uint32_t segments_build_id(const struct image *image, uint8_t *id, uint32_t room);
/* The executable segment whose file bytes hold an address; NULL: none. */
const Elf64_Phdr *segments_of_code(const struct image *image, uint64_t vaddr);
