/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_symbols - a hostile ELF file; the symbol table made from it must keep every promise
 */

#include <stdlib.h>
#include <string.h>

#include "symbolizer/parser/symbols/symbols_compile.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/parser/symbols_view.h"

struct memory {
	const uint8_t *bytes;
	size_t count;
};

static int read_memory(void *context, void *to, uint64_t offset, size_t bytes)
{
	const struct memory *memory = context;

	if (offset > memory->count || bytes > memory->count - offset)
		abort(); /* a read beyond the file was not refused */
	memcpy(to, memory->bytes + offset, bytes);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct memory memory = {data, bytes};
	struct image_source source = {read_memory, &memory, bytes};
	struct symbols_view view;
	struct result_blob result;

	if (symbols_compile(&result, &source) == PARSER_OK &&
	    symbols_view_open(&view, result.data, result.bytes))
		abort();
	result_blob_free(&result);
	return 0;
}
