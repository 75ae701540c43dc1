/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbol_table - offers the function symbols of .symtab, then of .dynsym, as names
 */

#include "symbolizer/parser/elf/symbol_table.h"

#include <gelf.h>
#include <string.h>

#include "symbolizer/parser/parser.h"

struct table {
	Elf *elf;
	Elf_Data *symbols;
	Elf_Data *strings;
};

static bool is_table(const Elf64_Shdr *section)
{
	return section->sh_type == SHT_SYMTAB || section->sh_type == SHT_DYNSYM;
}

/* A malformed section is skipped: libelf finds it empty or refuses it. */
static int fill_section(struct image *image, const struct image_source *source, uint32_t index)
{
	Elf64_Shdr section;
	int r;

	if (index >= image->section_count)
		return 0;
	section = image->sections[index];
	if (section.sh_type == SHT_NOBITS || section.sh_flags & SHF_COMPRESSED)
		return 0;
	r = image_fill(image, source, section.sh_offset, section.sh_size);
	return r == PARSER_MALFORMED ? 0 : r;
}

int symbol_table_fill(struct image *image, const struct image_source *source)
{
	int r;

	for (uint32_t i = 0; i < image->section_count; i++) {
		Elf64_Shdr section = image->sections[i];

		if (!is_table(&section))
			continue;
		r = fill_section(image, source, i);
		if (!r)
			r = fill_section(image, source, section.sh_link);
		if (r)
			return r;
	}
	for (uint32_t i = 0; i < image->segment_count; i++) {
		Elf64_Phdr segment = image->segments[i];

		if (segment.p_type != PT_NOTE)
			continue;
		r = image_fill(image, source, segment.p_offset, segment.p_filesz);
		if (r && r != PARSER_MALFORMED)
			return r;
	}
	return 0;
}

static Elf_Data *data_of(Elf *elf, size_t index, GElf_Word type_a, GElf_Word type_b)
{
	Elf_Scn *section = elf_getscn(elf, index);
	GElf_Shdr header;
	Elf_Data *data;

	if (!section || !gelf_getshdr(section, &header) || header.sh_flags & SHF_COMPRESSED ||
	    (header.sh_type != type_a && header.sh_type != type_b) ||
	    header.sh_size > IMAGE_MAX_COPIED)
		return NULL;
	data = elf_getdata(section, NULL);
	return data && data->d_buf && data->d_size ? data : NULL;
}

/* NULL for an empty name, and for one that does not end in its section. */
static const char *name_at(const struct table *table, uint64_t offset)
{
	const char *names = table->strings->d_buf;
	uint64_t left;

	if (!offset || offset >= table->strings->d_size)
		return NULL;
	left = table->strings->d_size - offset;
	if (!names[offset] || strnlen(names + offset, left) == left)
		return NULL;
	return names + offset;
}

static void take_section(const struct table *table, const GElf_Sym *symbol,
			 struct symbol_choice_symbol *offer)
{
	Elf_Scn *section;
	GElf_Shdr header;

	if (symbol->st_size || symbol->st_shndx >= SHN_LORESERVE)
		return;
	section = elf_getscn(table->elf, symbol->st_shndx);
	if (!section || !gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR) ||
	    header.sh_addr + header.sh_size < header.sh_addr)
		return;
	offer->section_start = header.sh_addr;
	offer->section_end = header.sh_addr + header.sh_size;
}

static bool is_code(const GElf_Sym *symbol, const char *name)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info);

	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS)
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	/* Labels of handwritten assembly; those of compilers begin with .L or $. */
	return type == STT_NOTYPE && name[0] != '.' && name[0] != '$';
}

static uint8_t binding(const GElf_Sym *symbol)
{
	switch (GELF_ST_BIND(symbol->st_info)) {
	case STB_GLOBAL:
	case STB_GNU_UNIQUE:
		return 2;
	case STB_LOCAL:
		return 1;
	default:
		return 0;
	}
}

static bool offer_table(const struct table *table, struct symbol_choice *choice)
{
	size_t count = table->symbols->d_size / sizeof(Elf64_Sym);
	bool any = false;

	for (size_t i = 1; i < count && i <= INT32_MAX; i++) {
		struct symbol_choice_symbol offer = {0};
		GElf_Sym symbol;

		if (!gelf_getsym(table->symbols, (int)i, &symbol))
			break;
		offer.name = name_at(table, symbol.st_name);
		if (!offer.name || !is_code(&symbol, offer.name))
			continue;
		offer.start = symbol.st_value;
		offer.size = symbol.st_size;
		offer.is_function = GELF_ST_TYPE(symbol.st_info) != STT_NOTYPE;
		offer.binding = binding(&symbol);
		take_section(table, &symbol, &offer);
		symbol_choice_offer(choice, &offer);
		any |= offer.is_function;
	}
	symbol_choice_finish_table(choice);
	return any;
}

static bool offer_type(Elf *elf, const struct image *image, GElf_Word type,
		       struct symbol_choice *choice)
{
	bool any = false;

	for (uint32_t i = 0; i < image->section_count; i++) {
		struct table table = {.elf = elf};
		Elf64_Shdr section = image->sections[i];

		if (section.sh_type != type || section.sh_link >= image->section_count)
			continue;
		table.symbols = data_of(elf, i, type, type);
		table.strings = data_of(elf, section.sh_link, SHT_STRTAB, SHT_STRTAB);
		if (table.symbols && table.strings && table.symbols->d_type == ELF_T_SYM)
			any |= offer_table(&table, choice);
	}
	return any;
}

int symbol_table_offer(const struct image *image, struct symbol_choice *choice, bool *ret_any)
{
	Elf *elf;

	*ret_any = false;
	if (!image->section_count)
		return 0;
	if (elf_version(EV_CURRENT) == EV_NONE)
		return PARSER_FAILED;
	elf = elf_memory((char *)image->copy, image->bytes);
	if (!elf)
		return PARSER_MALFORMED;
	*ret_any = offer_type(elf, image, SHT_SYMTAB, choice);
	*ret_any |= offer_type(elf, image, SHT_DYNSYM, choice);
	(void)elf_end(elf);
	return 0;
}
