/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sections - loads sections of an image, by name or by address
 */

#include "symbolizer/parser/elf/sections.h"

#include <string.h>

#include "symbolizer/parser/parser.h"

#define PIECE 8192u /* bytes that are searched at once */

static uint32_t names_index(const struct image *image)
{
	uint32_t index = image->header.e_shstrndx;

	return index == SHN_XINDEX && image->section_count ? image->sections[0].sh_link : index;
}

static bool is_loadable(const struct image *image, const Elf64_Shdr *header)
{
	return header->sh_type != SHT_NOBITS && !(header->sh_flags & SHF_COMPRESSED) &&
	       header->sh_offset <= image->bytes &&
	       header->sh_size <= image->bytes - header->sh_offset && header->sh_size > 0;
}

int sections_open(struct sections *sections, struct image *image, const struct image_source *source)
{
	uint32_t index = names_index(image);
	const Elf64_Shdr *header;
	int r;

	*sections = (struct sections){.image = image, .source = source};
	if (index == SHN_UNDEF || index >= image->section_count)
		return 0;
	header = &image->sections[index];
	if (!is_loadable(image, header) || header->sh_size > SECTIONS_NAMES_MAX)
		return 0;
	r = image_fill(image, source, header->sh_offset, header->sh_size);
	if (r)
		return r;
	sections->names = (const char *)image->copy + header->sh_offset;
	sections->name_bytes = header->sh_size;
	return 0;
}

const Elf64_Shdr *sections_header(const struct sections *sections, const char *name)
{
	const struct image *image = sections->image;
	size_t bytes = strlen(name) + 1;

	for (uint32_t i = 0; sections->names && i < image->section_count; i++) {
		uint64_t at = image->sections[i].sh_name;

		if (at < sections->name_bytes && bytes <= sections->name_bytes - at &&
		    memcmp(sections->names + at, name, bytes) == 0)
			return &image->sections[i];
	}
	return NULL;
}

static int load(const struct sections *sections, uint64_t vaddr, uint64_t offset, uint64_t size,
		struct section *ret_section)
{
	int r = image_fill(sections->image, sections->source, offset, size);

	if (!r)
		*ret_section =
			(struct section){sections->image->copy + offset, size, vaddr, offset};
	return r;
}

int sections_load_header(const struct sections *sections, const Elf64_Shdr *header,
			 struct section *ret_section)
{
	*ret_section = (struct section){0};
	if (!header || !is_loadable(sections->image, header))
		return 0;
	return load(sections, header->sh_addr, header->sh_offset, header->sh_size, ret_section);
}

int sections_load(const struct sections *sections, const char *name, struct section *ret_section)
{
	return sections_load_header(sections, sections_header(sections, name), ret_section);
}

int sections_contain(const struct sections *sections, const Elf64_Shdr *header, const void *wanted,
		     size_t bytes, bool *ret_contains)
{
	const struct image_source *source = sections->source;
	uint8_t piece[SECTIONS_WANTED_MAX + PIECE];
	const Elf64_Shdr section = *header;
	size_t kept = 0; /* of the piece before: what is wanted may begin there */

	*ret_contains = false;
	if (!is_loadable(sections->image, &section))
		return 0;
	for (uint64_t at = 0; !*ret_contains && at < section.sh_size;) {
		uint64_t left = section.sh_size - at;
		size_t count = left < PIECE ? left : PIECE;

		if (source->read(source->context, piece + kept, section.sh_offset + at, count) < 0)
			return PARSER_FAILED;
		at += count;
		count += kept;
		*ret_contains = memmem(piece, count, wanted, bytes) != NULL;
		kept = count < bytes ? count : bytes - 1;
		memmove(piece, piece + count - kept, kept);
	}
	return 0;
}

int sections_load_at(const struct sections *sections, uint64_t vaddr, uint64_t most,
		     struct section *ret_section)
{
	const struct image *image = sections->image;

	*ret_section = (struct section){0};
	for (uint32_t i = 0; i < image->segment_count; i++) {
		Elf64_Phdr segment = image->segments[i];
		uint64_t within = vaddr - segment.p_vaddr, left;

		if (segment.p_type != PT_LOAD || vaddr < segment.p_vaddr ||
		    within >= segment.p_filesz || segment.p_offset > image->bytes ||
		    segment.p_filesz > image->bytes - segment.p_offset)
			continue;
		left = segment.p_filesz - within;
		return load(sections, vaddr, segment.p_offset + within, left < most ? left : most,
			    ret_section);
	}
	return 0;
}
