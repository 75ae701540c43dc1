/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_symbols - a hostile ELF file; the symbol table made from it must keep every promise
 */

#include <stdlib.h>
#include <string.h>

#include "symbolizer/parser/symbols/symbols_compile.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"
#include "tests/unit/parser/symbols_view.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct memory_file memory = {data, bytes};
	struct image_source source = {memory_file_read, &memory, bytes};
	struct symbols_view view;
	struct result_blob result;

	if (symbols_compile(&result, &source) == PARSER_OK &&
	    symbols_view_open(&view, result.data, result.bytes))
		abort();
	result_blob_free(&result);
	return 0;
}
