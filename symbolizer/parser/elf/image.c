/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image - a bounded private copy of the parts of an ELF file that are needed
 */

#include "symbolizer/parser/elf/image.h"

#include <stdbool.h>
#include <string.h>

#include "symbolizer/parser/parser.h"

static bool is_supported(const Elf64_Ehdr *header)
{
	return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == ELFDATA2LSB &&
	       header->e_ident[EI_VERSION] == EV_CURRENT && header->e_machine == IMAGE_MACHINE &&
	       header->e_ehsize == sizeof(Elf64_Ehdr);
}

static int open_segments(struct image *image, const struct image_source *source)
{
	const Elf64_Ehdr *header = &image->header;
	uint32_t count = header->e_phnum;
	int r;

	if (!count)
		return 0;
	/* PN_XNUM says that the number is elsewhere; no program has that many. */
	if (count > IMAGE_MAX_SEGMENTS || header->e_phentsize != sizeof(Elf64_Phdr) ||
	    header->e_phoff % _Alignof(Elf64_Phdr))
		return PARSER_MALFORMED;
	r = image_fill(image, source, header->e_phoff, count * sizeof(Elf64_Phdr));
	if (r)
		return r;
	image->segments = (const void *)(image->copy + header->e_phoff);
	image->segment_count = count;
	return 0;
}

/* More than SHN_LORESERVE sections: their number is in the first one. */
static int count_sections(struct image *image, const struct image_source *source,
			  uint64_t *ret_count)
{
	const Elf64_Shdr *first;
	int r;

	*ret_count = image->header.e_shnum;
	if (*ret_count)
		return 0;
	r = image_fill(image, source, image->header.e_shoff, sizeof(*first));
	if (r)
		return r;
	first = (const void *)(image->copy + image->header.e_shoff);
	*ret_count = first->sh_size;
	return 0;
}

static int open_sections(struct image *image, const struct image_source *source)
{
	const Elf64_Ehdr *header = &image->header;
	uint64_t count;
	int r;

	if (!header->e_shoff) /* without section headers: allowed, but it has no symbols */
		return 0;
	if (header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff % _Alignof(Elf64_Shdr))
		return PARSER_MALFORMED;
	r = count_sections(image, source, &count);
	if (r)
		return r;
	if (count > IMAGE_MAX_SECTIONS)
		return PARSER_TOO_LARGE;
	r = image_fill(image, source, header->e_shoff, count * sizeof(Elf64_Shdr));
	if (r)
		return r;
	image->sections = (const void *)(image->copy + header->e_shoff);
	image->section_count = (uint32_t)count;
	return 0;
}

int image_open(struct image *image, const struct image_source *source)
{
	int r;

	*image = (struct image){0};
	if (source->bytes < sizeof(Elf64_Ehdr))
		return PARSER_NOT_ELF;
	if (source->bytes > IMAGE_MAX_BYTES)
		return PARSER_TOO_LARGE;
	r = sparse_copy_map(&image->sparse, source->bytes, /* whole= */ false);
	if (r)
		return r;
	image->copy = image->sparse.bytes;
	image->bytes = source->bytes;
	r = image_fill(image, source, 0, sizeof(Elf64_Ehdr));
	if (r)
		return r;
	memcpy(&image->header, image->copy, sizeof(image->header));
	if (!is_supported(&image->header))
		return PARSER_NOT_ELF;
	r = open_segments(image, source);
	return r ? r : open_sections(image, source);
}

int image_fill(struct image *image, const struct image_source *source, uint64_t offset,
	       uint64_t bytes)
{
	if (offset > image->bytes || bytes > image->bytes - offset)
		return PARSER_MALFORMED;
	if (bytes > IMAGE_MAX_COPIED - image->copied)
		return PARSER_TOO_LARGE;
	image->copied += bytes;
	if (sparse_copy_open(&image->sparse, offset, bytes) ||
	    source->read(source->context, image->copy + offset, offset, bytes) < 0)
		return PARSER_FAILED;
	return 0;
}

void image_close(struct image *image)
{
	sparse_copy_close(&image->sparse);
	*image = (struct image){0};
}
