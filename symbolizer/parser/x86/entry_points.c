/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry_points - where functions begin in code that nobody describes
 */

#include "symbolizer/parser/x86/entry_points.h"

#include <string.h>

#include "symbolizer/parser/parser.h"

#define ENTRY sizeof(Elf64_Sym)
_Static_assert(ENTRY == sizeof(Elf64_Rela), "symbols and relocations are as large as each other");

static int begin_at(struct disassembly *heights, uint64_t vaddr, uint64_t bytes)
{
	uint32_t cell = disassembly_cell(heights, vaddr, NULL);

	if (cell == DISASSEMBLY_NO_CELL)
		return 0;
	return disassembly_begin(heights, cell,
				 bytes < DISASSEMBLY_BYTES_MAX ? (uint32_t)bytes : 0);
}

/* A part of a function that compilers put elsewhere: nobody calls it. */
static int is_cold(const struct section *names, uint32_t name)
{
	const char *at;
	uint64_t bytes;

	if (!names->bytes || name >= names->size)
		return 0;
	at = (const char *)names->bytes + name;
	bytes = strnlen(at, names->size - name);
	return memmem(at, bytes, ".cold", 5) != NULL;
}

static int take_symbol(struct disassembly *heights, const uint8_t *at, const struct section *names)
{
	Elf64_Sym symbol;

	memcpy(&symbol, at, sizeof(symbol));
	if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS ||
	    (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC &&
	     ELF64_ST_TYPE(symbol.st_info) != STT_GNU_IFUNC) ||
	    is_cold(names, symbol.st_name))
		return 0;
	return begin_at(heights, symbol.st_value, symbol.st_size);
}

static int take_relocation(struct disassembly *heights, const uint8_t *at)
{
	Elf64_Rela relocation;
	uint32_t cell;

	memcpy(&relocation, at, sizeof(relocation));
	if (ELF64_R_TYPE(relocation.r_info) != R_X86_64_RELATIVE)
		return 0;
	cell = disassembly_cell(heights, (uint64_t)relocation.r_addend, NULL);
	return cell == DISASSEMBLY_NO_CELL ? 0 : disassembly_suspect(heights, cell);
}

static int take_table(struct disassembly *heights, const Elf64_Shdr *header)
{
	const struct sections *sections = heights->sections;
	int is_relocations = header->sh_type == SHT_RELA;
	struct section table, names = {0};
	int r = 0;

	if (header->sh_size > DISASSEMBLY_SYMBOLS_MAX)
		return 0;
	if (!is_relocations && header->sh_link < sections->image->section_count)
		r = sections_load_header(sections, &sections->image->sections[header->sh_link],
					 &names);
	if (!r)
		r = sections_load_header(sections, header, &table);
	for (uint64_t at = 0; !r && at + ENTRY <= table.size; at += ENTRY)
		r = is_relocations ? take_relocation(heights, table.bytes + at)
				   : take_symbol(heights, table.bytes + at, &names);
	return r;
}

static int take_tables(struct disassembly *heights, uint32_t type)
{
	const struct image *image = heights->sections->image;
	int r = 0;

	for (uint32_t i = 0; !r && i < image->section_count; i++) {
		const Elf64_Shdr header = image->sections[i];

		if (header.sh_type == type)
			r = take_table(heights, &header);
	}
	return r;
}

int entry_points_find(struct disassembly *heights)
{
	static const char *const names[] = {".init", ".fini"};
	static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM, SHT_RELA};
	int r = begin_at(heights, heights->sections->image->header.e_entry, 0);

	for (uint32_t i = 0; !r && i < sizeof(names) / sizeof(names[0]); i++) {
		const Elf64_Shdr *header = sections_header(heights->sections, names[i]);

		if (header)
			r = begin_at(heights, header->sh_addr, header->sh_size);
	}
	for (uint32_t i = 0; !r && i < sizeof(types) / sizeof(types[0]); i++)
		r = take_tables(heights, types[i]);
	return r;
}
