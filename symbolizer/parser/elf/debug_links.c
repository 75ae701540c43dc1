/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug_links - which other files a file names as those with its debug information
 */

#include "symbolizer/parser/elf/debug_links.h"

#include <string.h>

#include "symbolizer/parser/parser.h"

#define LINK_BYTES_MAX (PARSER_NAME_MAX + PARSER_BUILD_ID_MAX)

/* The text at the start of a section, whose bytes with the NUL are *ret_bytes; NULL: none. */
static int read_text(struct debug_links *links, const struct sections *sections, const char *name,
		     struct section *ret_section, uint64_t *ret_bytes)
{
	const Elf64_Shdr *header = sections_header(sections, name);
	const uint8_t *end = NULL;
	int r = 0;

	*ret_section = (struct section){0};
	if (!header)
		return 0;
	if (header->sh_size <= LINK_BYTES_MAX)
		r = sections_load_header(sections, header, ret_section);
	if (!r && ret_section->bytes)
		end = memchr(ret_section->bytes, '\0', ret_section->size);
	if (!end || end == ret_section->bytes) {
		links->malformed = true;
		*ret_section = (struct section){0};
		return r;
	}
	*ret_bytes = (uint64_t)(end - ret_section->bytes) + 1;
	return 0;
}

int debug_links_read(struct debug_links *links, const struct sections *sections)
{
	struct section section;
	uint64_t bytes, crc;
	int r;

	*links = (struct debug_links){0};
	r = read_text(links, sections, ".gnu_debuglink", &section, &bytes);
	if (r)
		return r;
	if (section.bytes) {
		crc = (bytes + 3) & ~3ull;
		if (crc + sizeof(links->debuglink_crc) <= section.size) {
			links->debuglink = (const char *)section.bytes;
			memcpy(&links->debuglink_crc, section.bytes + crc,
			       sizeof(links->debuglink_crc));
		} else {
			links->malformed = true;
		}
	}
	r = read_text(links, sections, ".gnu_debugaltlink", &section, &bytes);
	if (r)
		return r;
	if (section.bytes && section.size - bytes <= PARSER_BUILD_ID_MAX) {
		links->altlink = (const char *)section.bytes;
		links->altlink_build_id = section.bytes + bytes;
		links->altlink_build_id_bytes = (uint32_t)(section.size - bytes);
	} else if (section.bytes) {
		links->malformed = true;
	}
	return 0;
}
