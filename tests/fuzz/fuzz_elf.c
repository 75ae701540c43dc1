/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_elf - a hostile ELF file; the names and unwind table made from it must pass their checks
 */

#include <stdlib.h>
#include <string.h>

#include "shared/unwind_table.h"
#include "symbolizer/names/result_check.h"
#include "symbolizer/parser/symbolize.h"
#include "symbolizer/parser/unwind_compile.h"
#include "tests/fuzz/fuzz.h"

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
	static const uint64_t offsets[] = {0,      0x40,   0x1000, 0x1010,  0x1018,    0x1020,
					   0x1040, 0x1fff, 0x2000, 1 << 20, UINT64_MAX};
	const uint32_t count = sizeof(offsets) / sizeof(offsets[0]);
	struct memory memory = {data, bytes};
	struct image_source source = {read_memory, &memory, bytes};
	struct result_blob result;
	struct result_check checked;
	struct tm_unwind_table_view view;

	if (symbolize_offsets(&result, &source, offsets, count) == PARSER_OK &&
	    result_check_check(&checked, result.data, result.bytes, count) < 0)
		abort();
	result_blob_free(&result);
	if (unwind_compile(&result, &source) == PARSER_OK &&
	    tm_unwind_table_check(&view, result.data, result.bytes) < 0)
		abort();
	result_blob_free(&result);
	return 0;
}
