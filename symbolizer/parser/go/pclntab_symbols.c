/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pclntab_symbols - the functions of a pclntab as a list of symbols
 */

#include "symbolizer/parser/go/pclntab_symbols.h"

#include <string.h>

int pclntab_symbols_read(const struct pclntab *pclntab, struct symbol_list *list)
{
	struct symbol_strings *names = &list->sources[0];
	const char *last;
	int r = 0;

	if (pclntab->version == PCLNTAB_NONE || pclntab->names >= pclntab->table.size)
		return 0;
	names->bytes = (const char *)pclntab->table.bytes + pclntab->names;
	last = memrchr(names->bytes, '\0', pclntab->table.size - pclntab->names);
	names->count = last ? (uint64_t)(last - names->bytes) + 1 : 0;
	for (uint32_t i = 0; !r && i < pclntab->count; i++) {
		struct symbol symbol = {.is_function = true, .binding = SYMBOL_GLOBAL};
		uint64_t end = pclntab_entry(pclntab, i + 1ull);

		symbol.start = pclntab_entry(pclntab, i);
		symbol.name = pclntab_name_offset(pclntab, i);
		/* Fields beyond the table's end read as zero. */
		if (end <= symbol.start || symbol.name >= names->count ||
		    !names->bytes[symbol.name])
			continue;
		symbol.bytes = end - symbol.start < UINT32_MAX ? (uint32_t)(end - symbol.start)
							       : UINT32_MAX;
		r = symbol_list_add(list, &symbol);
	}
	return r;
}
