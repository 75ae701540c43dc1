/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_perf_map - a hostile perf map; the symbol table made from it must keep every promise
 */

#include <stdlib.h>

#include "symbolizer/names/symbol_table.h"
#include "symbolizer/parser/jit/perf_map.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_source.h"
#include "tests/unit/parser/symbols_view.h"

/* The first byte may say that the file was longer when it was opened, or that its half is read. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct memory memory = {data, bytes};
	struct image_source source = {read_memory, &memory, bytes};
	uint64_t most = (uint64_t)PARSER_PERF_MAP_MIB << 20;
	struct symbol_table table;
	struct symbols_view view;
	struct result_blob result;

	if (bytes && data[0] == '+')
		source.bytes++;
	if (bytes && data[0] == '-')
		most = bytes / 2;
	if (perf_map_compile(&result, &source, most) == PARSER_OK &&
	    (symbols_view_open(&view, result.data, result.bytes) ||
	     symbol_table_parse(&table, result.data, result.bytes)))
		abort();
	result_blob_free(&result);
	return 0;
}
