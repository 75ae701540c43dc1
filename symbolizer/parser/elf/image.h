/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * image - a bounded private copy of the parts of an ELF file that are needed
 *
 * Shape      a mapping as large as the file (sparse_copy.h), of which only the parts that were
 *            asked for are ever filled: headers, symbol tables, strings, notes, code.
 * Trust      the file is hostile: every offset and size is checked against its size and against
 *            IMAGE_MAX_COPIED before it is read; the file is never mapped.
 * Limits     IMAGE_MAX_BYTES of file, IMAGE_MAX_COPIED of copies, IMAGE_MAX_SECTIONS sections.
 */

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolizer/parser/sparse_copy.h"

#define IMAGE_MAX_BYTES    (4ull << 30)
#define IMAGE_MAX_COPIED   (256ull << 20)
#define IMAGE_MAX_SECTIONS 65536u
#define IMAGE_MAX_SEGMENTS 4096u
#define IMAGE_MACHINE      EM_X86_64

/* Reads exactly @bytes at @offset. Return: 0, -EIO (short), -errno. */
typedef int (*image_read_fn)(void *source, void *to, uint64_t offset, size_t bytes);

struct image_source {
	image_read_fn read;
	void *context;
	uint64_t bytes;
};

struct image {
	struct sparse_copy sparse;
	uint8_t *copy;  /* its bytes */
	uint64_t bytes; /* as many */
	uint64_t copied;
	Elf64_Ehdr header;
	const Elf64_Phdr *segments;
	const Elf64_Shdr *sections; /* their names: sections.h */
	uint32_t segment_count;
	uint32_t section_count;
};

/* Return: 0, or an enum parser_status: NOT_ELF, TOO_LARGE, MALFORMED, FAILED. */
int image_open(struct image *image, const struct image_source *source);
/* Copies one part of the file. Return: as above. */
int image_fill(struct image *image, const struct image_source *source, uint64_t offset,
	       uint64_t bytes);
void image_close(struct image *image);
