/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_symbol_table - a hostile parser's symbol table; if it passes its check, all of it can be
 * searched
 */

#include <stdlib.h>
#include <string.h>

#include "symbolizer/names/symbol_table.h"
#include "tests/fuzz/fuzz.h"

/* Each place that a table knows is found by its own address, and in no other place. */
static void search_segments(const struct symbol_table *table)
{
	for (uint32_t i = 0; i < table->header->segment_count; i++) {
		const struct parser_segment *segment = &table->segments[i];

		if (symbol_table_segment(table, segment->offset) != segment ||
		    symbol_table_segment(table, segment->offset + segment->bytes - 1) != segment)
			abort();
		(void)symbol_table_find(table, symbol_table_vaddr(segment, segment->offset));
	}
	(void)symbol_table_segment(table, UINT64_MAX);
}

static size_t search_symbols(const struct symbol_table *table)
{
	size_t total = 0;

	for (uint32_t i = 0; i < table->header->symbol_count; i++) {
		const struct parser_symbol *symbol = &table->symbols[i];

		if (symbol_table_find(table, symbol->start) != symbol ||
		    symbol_table_find(table, symbol->start + symbol->bytes - 1) != symbol)
			abort();
		total += strlen(symbol_table_name(table, symbol));
	}
	(void)symbol_table_find(table, UINT64_MAX);
	return total;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	void *aligned = malloc(bytes ? bytes : 1); /* as a mapping is */
	struct symbol_table table;

	if (!aligned)
		return 0;
	memcpy(aligned, data, bytes);
	if (symbol_table_parse(&table, aligned, bytes) == 0) {
		size_t total = search_symbols(&table);

		search_segments(&table);
		if (total / (table.header->symbol_count + 1ull) > table.header->name_bytes)
			abort();
	}
	free(aligned);
	return 0;
}
