/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug_sections - copies the DWARF sections of a file, inflated, into an ELF image of their own
 */

#include "symbolizer/parser/dwarf/debug_sections.h"

#include <string.h>
#include <sys/mman.h>

#include "symbolizer/parser/dwarf/stored_section.h"
#include "symbolizer/parser/parser.h"

#define NAME_BYTES    24u /* of each section, in the image */
#define HEADERS_BYTES 4096u
#define ALIGNMENT     16u /* at least so many zeros lie behind each section */

static const char names[][NAME_BYTES] = {
	".debug_info",   ".debug_abbrev",   ".debug_str",  ".debug_line",        ".debug_line_str",
	".debug_ranges", ".debug_rnglists", ".debug_addr", ".debug_str_offsets",
};
static const char strings_name[NAME_BYTES] = ".shstrtab";
#define SECTIONS (sizeof(names) / sizeof(names[0]))
#define HEADERS  (SECTIONS + 2) /* the null section before them, the section names behind */

struct headers {
	Elf64_Ehdr file;
	Elf64_Shdr sections[HEADERS];
	char names[1 + HEADERS * NAME_BYTES]; /* begins with the empty name */
};
_Static_assert(sizeof(struct headers) <= HEADERS_BYTES, "the headers have their space");

static void write_file_header(Elf64_Ehdr *file)
{
	memcpy(file->e_ident, ELFMAG, SELFMAG);
	file->e_ident[EI_CLASS] = ELFCLASS64;
	file->e_ident[EI_DATA] = ELFDATA2LSB;
	file->e_ident[EI_VERSION] = EV_CURRENT;
	file->e_type = ET_EXEC;
	file->e_machine = IMAGE_MACHINE;
	file->e_version = EV_CURRENT;
	file->e_ehsize = sizeof(Elf64_Ehdr);
	file->e_shoff = offsetof(struct headers, sections);
	file->e_shentsize = sizeof(Elf64_Shdr);
	file->e_shnum = HEADERS;
	file->e_shstrndx = HEADERS - 1;
}

static void write_header(struct headers *headers, uint32_t index, const char *name, uint64_t offset,
			 uint64_t bytes)
{
	uint32_t name_at = 1 + index * NAME_BYTES;

	memcpy(headers->names + name_at, name, NAME_BYTES);
	headers->sections[index] = (Elf64_Shdr){.sh_name = name_at,
						.sh_type = SHT_PROGBITS,
						.sh_offset = offset,
						.sh_size = bytes,
						.sh_addralign = 1};
}

static int map_image(struct debug_sections *debug, uint64_t bytes)
{
	void *image = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (image == MAP_FAILED)
		return PARSER_FAILED;
	/* All of it is filled at once: fewer page faults, which cost as much as the copy itself. */
	(void)madvise(image, bytes, MADV_HUGEPAGE);
	debug->image = image;
	debug->bytes = bytes;
	return 0;
}

/* Where the next section begins behind one of @bytes. */
static uint64_t space_of(uint64_t bytes)
{
	return (bytes / ALIGNMENT + 2) * ALIGNMENT;
}

static int fill_image(struct debug_sections *debug, const struct sections *sections,
		      const struct stored_section *stored)
{
	struct headers *headers = (void *)debug->image;
	uint64_t offset = HEADERS_BYTES;

	write_file_header(&headers->file);
	for (uint32_t i = 0; i < SECTIONS; i++) {
		int r = stored[i].bytes ? stored_section_read(&stored[i], sections->source,
							      debug->image + offset)
					: 0;

		if (r && r != PARSER_MALFORMED)
			return r;
		debug->malformed |= r != 0;
		if (!r)
			write_header(headers, i + 1, names[i], offset, stored[i].bytes);
		offset += space_of(stored[i].bytes);
	}
	write_header(headers, HEADERS - 1, strings_name, offsetof(struct headers, names),
		     sizeof(headers->names));
	headers->sections[HEADERS - 1].sh_type = SHT_STRTAB;
	return 0;
}

int debug_sections_open(struct debug_sections *debug, const struct sections *sections)
{
	struct stored_section stored[SECTIONS];
	uint64_t bytes = HEADERS_BYTES;
	int r;

	*debug = (struct debug_sections){
		.has_alternate = sections_header(sections, ".gnu_debugaltlink") != NULL};
	for (uint32_t i = 0; i < SECTIONS; i++) {
		r = stored_section_find(sections, names[i], &stored[i]);
		if (r)
			return r;
		if (stored[i].bytes > DEBUG_SECTIONS_MAX - bytes ||
		    space_of(stored[i].bytes) > DEBUG_SECTIONS_MAX - bytes)
			return PARSER_TOO_LARGE;
		bytes += space_of(stored[i].bytes);
	}
	if (!stored[0].bytes)
		return 0;
	r = map_image(debug, bytes);
	return r ? r : fill_image(debug, sections, stored);
}

void debug_sections_close(struct debug_sections *debug)
{
	if (debug->image)
		(void)munmap(debug->image, debug->bytes);
	*debug = (struct debug_sections){0};
}
