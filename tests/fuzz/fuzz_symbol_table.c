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

/* Each version is found at its address while it lay there, and its code has a name. */
static void search_codes(const struct code_table *table)
{
	for (uint32_t i = 0; i < table->header->version_count; i++) {
		uint64_t address, found;
		const struct parser_code *code = code_table_code(table, i, 0, &address);
		uint32_t offset, version;

		if (!code || strlen(table->names + code->name) >= table->header->name_bytes)
			abort();
		(void)code_table_line(table, code, address);
		version = code_table_find(table, address, code->from ? code->from : 1, &offset);
		if (version != CODE_TABLE_NONE &&
		    (!code_table_code(table, version, offset, &found) || found != address))
			abort();
	}
	if (code_table_code(table, table->header->version_count, 0, &(uint64_t){0}))
		abort();
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
		if (table.code.header)
			search_codes(&table.code);
		if (total / (table.header->symbol_count + 1ull) > table.header->name_bytes)
			abort();
	}
	free(aligned);
	return 0;
}
