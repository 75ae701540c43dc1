/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbol_reader - reads the code symbols of .symtab or .dynsym into a list
 */

#include "symbolizer/parser/elf/symbol_reader.h"

#include <stdlib.h>
#include <string.h>

#include "symbolizer/parser/parser.h"

#define PIECE 512u /* symbols that are read at once */

static const Elf64_Shdr *section_of(const struct image *image, uint32_t type)
{
	for (uint32_t i = 0; i < image->section_count; i++)
		if (image->sections[i].sh_type == type)
			return &image->sections[i];
	return NULL;
}

static bool is_in_file(const struct image *image, const Elf64_Shdr *section)
{
	return section->sh_type != SHT_NOBITS && !(section->sh_flags & SHF_COMPRESSED) &&
	       section->sh_offset <= image->bytes &&
	       section->sh_size <= image->bytes - section->sh_offset;
}

/* Reads the strings up to the last one that ends. */
static int read_strings(struct symbol_reader *reader, const Elf64_Shdr *section)
{
	uint64_t bytes = section->sh_size;
	const char *last;

	if (bytes > SYMBOL_READER_STRINGS_MAX) {
		bytes = SYMBOL_READER_STRINGS_MAX;
		reader->truncated = true;
	}
	reader->bytes = malloc(bytes + 1);
	if (!reader->bytes || reader->source->read(reader->source->context, reader->bytes,
						   section->sh_offset, bytes) < 0)
		return PARSER_FAILED;
	last = memrchr(reader->bytes, '\0', bytes);
	reader->strings.bytes = reader->bytes;
	reader->strings.count = last ? (uint64_t)(last - reader->bytes) + 1 : 0;
	return 0;
}

/* A label reaches to the end of its section. */
static uint32_t reach_of(const struct image *image, const Elf64_Sym *symbol)
{
	const Elf64_Shdr *section;
	uint64_t reach;

	if (symbol->st_size || symbol->st_shndx >= image->section_count ||
	    symbol->st_shndx >= SHN_LORESERVE)
		return 0;
	section = &image->sections[symbol->st_shndx];
	if (!(section->sh_flags & SHF_EXECINSTR) || symbol->st_value < section->sh_addr ||
	    symbol->st_value - section->sh_addr >= section->sh_size)
		return 0;
	reach = section->sh_size - (symbol->st_value - section->sh_addr);
	return reach < UINT32_MAX ? (uint32_t)reach : UINT32_MAX;
}

static bool is_code(const Elf64_Sym *symbol, const char *name)
{
	unsigned type = ELF64_ST_TYPE(symbol->st_info);

	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS)
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	/* Labels of handwritten assembly; those of compilers begin with .L or $. */
	return type == STT_NOTYPE && name[0] != '.' && name[0] != '$';
}

static uint8_t binding_of(const Elf64_Sym *symbol)
{
	switch (ELF64_ST_BIND(symbol->st_info)) {
	case STB_GLOBAL:
	case STB_GNU_UNIQUE:
		return SYMBOL_GLOBAL;
	case STB_LOCAL:
		return SYMBOL_LOCAL;
	default:
		return SYMBOL_WEAK;
	}
}

static int take(struct symbol_reader *reader, const Elf64_Sym *entry, struct symbol_list *list)
{
	const struct symbol_strings *strings = &list->sources[reader->number];
	struct symbol symbol = {.start = entry->st_value, .name = entry->st_name};

	if (!entry->st_name || entry->st_name >= strings->count ||
	    !strings->bytes[entry->st_name] || !is_code(entry, strings->bytes + entry->st_name))
		return 0;
	symbol.bytes = entry->st_size < UINT32_MAX ? (uint32_t)entry->st_size : UINT32_MAX;
	symbol.reach = reach_of(reader->image, entry);
	if (entry->st_size > UINT64_MAX - entry->st_value ||
	    symbol.reach > UINT64_MAX - entry->st_value)
		return 0;
	symbol.is_function = ELF64_ST_TYPE(entry->st_info) != STT_NOTYPE;
	symbol.binding = binding_of(entry);
	symbol.source = reader->number;
	reader->found |= symbol.is_function;
	return symbol_list_add(list, &symbol);
}

static int read_entries(struct symbol_reader *reader, const Elf64_Shdr *section,
			struct symbol_list *list)
{
	uint64_t count = section->sh_size / sizeof(Elf64_Sym);
	Elf64_Sym piece[PIECE];
	int r = 0;

	if (count > SYMBOL_READER_ENTRIES_MAX) {
		count = SYMBOL_READER_ENTRIES_MAX;
		reader->truncated = true;
	}
	for (uint64_t done = 0; !r && done < count && !list->truncated;) {
		uint64_t wanted = count - done < PIECE ? count - done : PIECE;

		if (reader->source->read(reader->source->context, piece,
					 section->sh_offset + done * sizeof(*piece),
					 wanted * sizeof(*piece)) < 0)
			return PARSER_FAILED;
		for (uint64_t i = 0; !r && i < wanted; i++)
			r = take(reader, &piece[i], list);
		done += wanted;
	}
	return r;
}

int symbol_reader_read(struct symbol_reader *reader, uint32_t type, struct symbol_list *list)
{
	const struct image *image = reader->image;
	const Elf64_Shdr *section = section_of(image, type);
	const Elf64_Shdr *strings;
	int r;

	if (!section || !section->sh_size)
		return 0;
	strings =
		section->sh_link < image->section_count ? &image->sections[section->sh_link] : NULL;
	if (!strings || strings->sh_type != SHT_STRTAB || !is_in_file(image, strings) ||
	    !is_in_file(image, section)) {
		reader->malformed = true;
		return 0;
	}
	r = read_strings(reader, strings);
	list->sources[reader->number] = reader->strings;
	if (!r)
		r = read_entries(reader, section, list);
	reader->truncated |= list->truncated;
	return r;
}

void symbol_reader_close(struct symbol_reader *reader)
{
	free(reader->bytes);
	*reader = (struct symbol_reader){0};
}
