/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_elf - a hostile ELF file; the unwind table made from it must pass its check
 */

#include <stdlib.h>
#include <string.h>

#include "shared/unwind_table.h"
#include "symbolizer/parser/unwind_compile.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct memory_file memory = {data, bytes};
	struct image_source source = {memory_file_read, &memory, bytes};
	struct result_blob result;
	struct tm_unwind_table_view view;

	if (unwind_compile(&result, &source) == PARSER_OK &&
	    tm_unwind_table_check(&view, result.data, result.bytes) < 0)
		abort();
	result_blob_free(&result);
	return 0;
}
