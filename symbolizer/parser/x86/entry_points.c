/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry_points - finds where functions begin in code without unwind information
 */

#include "symbolizer/parser/x86/entry_points.h"

#include <string.h>

#include "symbolizer/parser/parser.h"

#define ENTRY_BYTES sizeof(Elf64_Sym)
_Static_assert(ENTRY_BYTES == sizeof(Elf64_Rela), "symbols and relocations have the same size");

static int add_function(struct code_map *map, uint64_t vaddr, uint64_t bytes)
{
	uint32_t cell = code_map_cell(map, vaddr, NULL);

	if (cell == CODE_MAP_NO_CELL)
		return 0;
	return code_map_add_function(map, cell, bytes < CODE_MAP_BYTES_MAX ? (uint32_t)bytes : 0);
}

/* The cold part of a function, which compilers move away: nothing calls it. */
static bool is_cold(const struct section *names, uint32_t name)
{
	const char *at;
	uint64_t bytes;

	if (!names->bytes || name >= names->size)
		return false;
	at = (const char *)names->bytes + name;
	bytes = strnlen(at, names->size - name);
	return memmem(at, bytes, ".cold", 5) != NULL;
}

static int take_symbol(struct code_map *map, const uint8_t *at, const struct section *names)
{
	Elf64_Sym symbol;

	memcpy(&symbol, at, sizeof(symbol));
	if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS ||
	    (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC &&
	     ELF64_ST_TYPE(symbol.st_info) != STT_GNU_IFUNC) ||
	    is_cold(names, symbol.st_name))
		return 0;
	return add_function(map, symbol.st_value, symbol.st_size);
}

static int take_relocation(struct code_map *map, const uint8_t *at)
{
	Elf64_Rela relocation;
	uint32_t cell;

	memcpy(&relocation, at, sizeof(relocation));
	if (ELF64_R_TYPE(relocation.r_info) != R_X86_64_RELATIVE)
		return 0;
	cell = code_map_cell(map, (uint64_t)relocation.r_addend, NULL);
	return cell == CODE_MAP_NO_CELL ? 0 : code_map_add_suspect(map, cell);
}

static int take_table(struct code_map *map, const Elf64_Shdr *header)
{
	const struct sections *sections = map->sections;
	bool is_relocations = header->sh_type == SHT_RELA;
	struct section table, names = {0};
	int r = 0;

	if (header->sh_size > ENTRY_POINTS_TABLE_MAX)
		return 0;
	if (!is_relocations && header->sh_link < sections->image->section_count)
		r = sections_load_header(sections, &sections->image->sections[header->sh_link],
					 &names);
	if (!r)
		r = sections_load_header(sections, header, &table);
	for (uint64_t at = 0; !r && at + ENTRY_BYTES <= table.size; at += ENTRY_BYTES)
		r = is_relocations ? take_relocation(map, table.bytes + at)
				   : take_symbol(map, table.bytes + at, &names);
	return r;
}

static int take_tables(struct code_map *map, uint32_t type)
{
	const struct image *image = map->sections->image;
	int r = 0;

	for (uint32_t i = 0; !r && i < image->section_count; i++) {
		const Elf64_Shdr header = image->sections[i];

		if (header.sh_type == type)
			r = take_table(map, &header);
	}
	return r;
}

int entry_points_find(struct code_map *map)
{
	static const char *const names[] = {".init", ".fini"};
	static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM, SHT_RELA};
	int r = add_function(map, map->sections->image->header.e_entry, 0);

	for (uint32_t i = 0; !r && i < sizeof(names) / sizeof(names[0]); i++) {
		const Elf64_Shdr *header = sections_header(map->sections, names[i]);

		if (header)
			r = add_function(map, header->sh_addr, header->sh_size);
	}
	for (uint32_t i = 0; !r && i < sizeof(types) / sizeof(types[0]); i++)
		r = take_tables(map, types[i]);
	return r;
}
