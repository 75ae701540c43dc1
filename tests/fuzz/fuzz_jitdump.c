/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_jitdump - a hostile jitdump; the table made from it must keep every promise
 */

#include <stdlib.h>
#include <string.h>

#include "symbolizer/names/code_table.h"
#include "symbolizer/parser/jit/jitdump.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_source.h"

/* Each version lies where its code does, and is found there at its time or has a later one. */
static void search(const struct code_table *table)
{
	for (uint32_t i = 0; i < table->header->version_count; i++) {
		uint64_t address;
		const struct parser_code *code = code_table_code(table, i, 0, &address);
		uint32_t offset, version;

		if (!code || address - code->start >= code->bytes ||
		    strlen(table->names + code->name) > PARSER_NAME_MAX)
			abort();
		if (!code->from || code->until == code->from)
			continue;
		version = code_table_find(table, address, code->from, &offset);
		if (version < i || offset)
			abort();
		(void)code_table_line(table, code, address);
	}
}

/* The last byte may say that the file was longer when it was opened. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct memory memory = {data, bytes};
	struct image_source source = {read_memory, &memory, bytes};
	struct code_table table;
	struct result_blob result;
	size_t need;

	if (bytes && data[bytes - 1] == '+')
		source.bytes++;
	if (jitdump_compile(&result, &source) == PARSER_OK) {
		if (code_table_parse(&table, result.data, result.bytes, &need) ||
		    need != result.bytes)
			abort();
		search(&table);
	}
	result_blob_free(&result);
	return 0;
}
