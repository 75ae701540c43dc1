/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stored_section - reads one section into memory of the caller, inflated if it is compressed
 */

#include "symbolizer/parser/dwarf/stored_section.h"

#include <libdeflate.h>
#include <stdio.h>
#include <string.h>
#include <zstd.h>

#include "shared/cleanup.h"
#include "symbolizer/parser/cursor.h"
#include "symbolizer/parser/parser.h"

#define ZDEBUG_MAGIC  "ZLIB" /* then the size, 8 bytes, big-endian */
#define ZDEBUG_BYTES  12u
#define OLDER_NAME    64
#define COMPRESS_ZSTD 2u /* ELFCOMPRESS_ZSTD, which older headers lack */

static int read_at(const struct sections *sections, uint64_t offset, void *to, size_t bytes)
{
	const struct image_source *source = sections->source;

	return source->read(source->context, to, offset, bytes) < 0 ? PARSER_FAILED : 0;
}

/* The header in front of a section with SHF_COMPRESSED. */
static int take_header(const struct sections *sections, struct stored_section *section)
{
	Elf64_Chdr header;
	int r;

	if (section->stored < sizeof(header)) {
		section->bytes = 0;
		return 0;
	}
	r = read_at(sections, section->offset, &header, sizeof(header));
	if (r)
		return r;
	section->offset += sizeof(header);
	section->stored -= sizeof(header);
	section->bytes = header.ch_size;
	if (header.ch_type == ELFCOMPRESS_ZLIB)
		section->form = STORED_ZLIB;
	else if (header.ch_type == COMPRESS_ZSTD)
		section->form = STORED_ZSTD;
	else
		section->bytes = 0;
	return 0;
}

static int take_zdebug(const struct sections *sections, struct stored_section *section)
{
	uint8_t header[ZDEBUG_BYTES];
	uint64_t bytes = 0;
	int r;

	section->bytes = 0;
	if (section->stored < sizeof(header))
		return 0;
	r = read_at(sections, section->offset, header, sizeof(header));
	if (r || memcmp(header, ZDEBUG_MAGIC, strlen(ZDEBUG_MAGIC)) != 0)
		return r;
	for (size_t i = strlen(ZDEBUG_MAGIC); i < sizeof(header); i++)
		bytes = bytes << 8 | header[i];
	*section = (struct stored_section){STORED_ZLIB, section->offset + sizeof(header),
					   section->stored - sizeof(header), bytes};
	return 0;
}

/* Whether the section lies in the file. */
static bool take_place(const struct sections *sections, const Elf64_Shdr *header,
		       struct stored_section *section)
{
	uint64_t file = sections->image->bytes;

	if (!header || header->sh_type == SHT_NOBITS || header->sh_offset > file ||
	    header->sh_size > file - header->sh_offset)
		return false;
	*section = (struct stored_section){STORED_PLAIN, header->sh_offset, header->sh_size,
					   header->sh_size};
	return true;
}

int stored_section_find(const struct sections *sections, const char *name,
			struct stored_section *ret_section)
{
	const Elf64_Shdr *header = sections_header(sections, name);
	char older[OLDER_NAME];

	*ret_section = (struct stored_section){0};
	if (take_place(sections, header, ret_section))
		return header->sh_flags & SHF_COMPRESSED ? take_header(sections, ret_section) : 0;
	(void)snprintf(older, sizeof(older), ".z%s", name + 1);
	if (take_place(sections, sections_header(sections, older), ret_section))
		return take_zdebug(sections, ret_section);
	return 0;
}

/* Return: 0; PARSER_MALFORMED, PARSER_FAILED. */
static int inflate_zlib(const uint8_t *from, uint64_t count, uint8_t *to, uint64_t bytes)
{
	struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
	enum libdeflate_result r;

	if (!decompressor)
		return PARSER_FAILED;
	r = libdeflate_zlib_decompress(decompressor, from, count, to, bytes, NULL);
	libdeflate_free_decompressor(decompressor);
	return r == LIBDEFLATE_SUCCESS ? 0 : PARSER_MALFORMED;
}

static int inflate_zstd(const uint8_t *from, uint64_t count, uint8_t *to, uint64_t bytes)
{
	return ZSTD_decompress(to, bytes, from, count) == bytes ? 0 : PARSER_MALFORMED;
}

int stored_section_read(const struct stored_section *section, const struct image_source *source,
			void *to)
{
	_cleanup_(tm_freep) uint8_t *stored = NULL;

	if (section->form == STORED_PLAIN)
		return source->read(source->context, to, section->offset, section->bytes) < 0
			       ? PARSER_FAILED
			       : 0;
	stored = malloc(section->stored + 1);
	if (!stored || source->read(source->context, stored, section->offset, section->stored) < 0)
		return PARSER_FAILED;
	if (section->form == STORED_ZLIB)
		return inflate_zlib(stored, section->stored, to, section->bytes);
	return inflate_zstd(stored, section->stored, to, section->bytes);
}
