/* SPDX-License-Identifier: Apache-2.0 */
/*
 * named_symbols - where the symbols of known names lie, by which a file is recognized
 */

#include "symbolizer/parser/elf/named_symbols.h"

#include <stdbool.h>
#include <string.h>

struct list {
	struct named_symbol *symbols;
	uint32_t count;
};

/* Also within the bounds when the file has changed since the strings were searched. */
static bool is_named(const struct section *strings, uint32_t at, const char *name)
{
	size_t bytes = strlen(name) + 1;

	return at < strings->size && bytes <= strings->size - at &&
	       memcmp(strings->bytes + at, name, bytes) == 0;
}

static void take(const struct list *list, const Elf64_Sym *symbol, const struct section *strings)
{
	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS)
		return;
	for (uint32_t i = 0; i < list->count; i++) {
		struct named_symbol *wanted = &list->symbols[i];

		if (wanted->vaddr || !is_named(strings, symbol->st_name, wanted->name))
			continue;
		wanted->vaddr = symbol->st_value;
		wanted->bytes = symbol->st_size;
	}
}

static int read_symbols(const struct list *list, const struct sections *sections,
			const Elf64_Shdr *header, const Elf64_Shdr *strings_header)
{
	struct section table, strings;
	const char *first = list->symbols[0].name;
	bool found;
	int r = sections_contain(sections, strings_header, first, strlen(first) + 1, &found);

	if (r || !found)
		return r;
	r = sections_load_header(sections, strings_header, &strings);
	if (!r)
		r = sections_load_header(sections, header, &table);
	for (uint64_t at = 0; !r && table.size - at >= sizeof(Elf64_Sym); at += sizeof(Elf64_Sym)) {
		Elf64_Sym symbol;

		memcpy(&symbol, table.bytes + at, sizeof(symbol));
		take(list, &symbol, &strings);
	}
	return r;
}

int named_symbols_read(struct named_symbol *symbols, uint32_t count,
		       const struct sections *sections, uint32_t type)
{
	const struct image *image = sections->image;

	for (uint32_t i = 0; i < image->section_count; i++) {
		const Elf64_Shdr header = image->sections[i];
		Elf64_Shdr strings;

		if (header.sh_type != type)
			continue;
		if (header.sh_link >= image->section_count)
			return 0;
		strings = image->sections[header.sh_link];
		if (header.sh_size > NAMED_SYMBOLS_TABLE_MAX ||
		    strings.sh_size > NAMED_SYMBOLS_TABLE_MAX)
			return 0;
		return read_symbols(&(struct list){symbols, count}, sections, &header, &strings);
	}
	return 0;
}
