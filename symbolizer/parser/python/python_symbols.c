/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python_symbols - the symbols by which a file is known to have CPython's interpreter
 */

#include "symbolizer/parser/python/python_symbols.h"

#include <stdbool.h>
#include <string.h>

static const char *const names[PYTHON_SYMBOLS_N] = {"_PyRuntime", "_PyEval_EvalFrameDefault",
						    "Py_Version", "Py_GetVersion"};

/* Also within the bounds when the file has changed since the strings were searched. */
static bool is_named(const struct section *strings, uint32_t at, const char *name)
{
	size_t bytes = strlen(name) + 1;

	return at < strings->size && bytes <= strings->size - at &&
	       memcmp(strings->bytes + at, name, bytes) == 0;
}

static void take(struct python_symbols *symbols, const Elf64_Sym *symbol,
		 const struct section *strings)
{
	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS)
		return;
	for (uint32_t i = 0; i < PYTHON_SYMBOLS_N; i++) {
		if (symbols->list[i].vaddr || !is_named(strings, symbol->st_name, names[i]))
			continue;
		symbols->list[i] = (struct python_symbol_place){symbol->st_value, symbol->st_size};
	}
}

static int read_symbols(struct python_symbols *symbols, const struct sections *sections,
			const Elf64_Shdr *header, const Elf64_Shdr *strings_header)
{
	struct section table, strings;
	bool found;
	int r = sections_contain(sections, strings_header, names[PYTHON_STATE],
				 strlen(names[PYTHON_STATE]) + 1, &found);

	if (r || !found)
		return r;
	r = sections_load_header(sections, strings_header, &strings);
	if (!r)
		r = sections_load_header(sections, header, &table);
	for (uint64_t at = 0; !r && table.size - at >= sizeof(Elf64_Sym); at += sizeof(Elf64_Sym)) {
		Elf64_Sym symbol;

		memcpy(&symbol, table.bytes + at, sizeof(symbol));
		take(symbols, &symbol, &strings);
	}
	return r;
}

static int read_table(struct python_symbols *symbols, const struct sections *sections,
		      uint32_t type)
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
		if (header.sh_size > PYTHON_SYMBOLS_TABLE_MAX ||
		    strings.sh_size > PYTHON_SYMBOLS_TABLE_MAX)
			return 0;
		return read_symbols(symbols, sections, &header, &strings);
	}
	return 0;
}

int python_symbols_read(struct python_symbols *ret_symbols, const struct sections *sections)
{
	int r;

	*ret_symbols = (struct python_symbols){0};
	r = read_table(ret_symbols, sections, SHT_DYNSYM);
	if (!r && !(ret_symbols->list[PYTHON_STATE].vaddr && ret_symbols->list[PYTHON_LOOP].vaddr))
		r = read_table(ret_symbols, sections, SHT_SYMTAB);
	return r;
}
