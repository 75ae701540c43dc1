/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_lines - a hostile file with DWARF; the table of lines made from it must pass its check
 *
 * The corpus holds the .debug sections of tests/unit/parser/lines_program.c and .cc, linked with
 * -Ttext=0x401000, in several forms.
 */

#include <stdlib.h>
#include <string.h>

#include "symbolizer/names/lines_check.h"
#include "symbolizer/parser/dwarf/lines.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const uint64_t vaddrs[] = {0x10,     0x400fff, 0x401000, 0x401003,
					  0x401008, 0x401010, 0x401fff, UINT64_MAX};
	const uint32_t count = sizeof(vaddrs) / sizeof(vaddrs[0]);
	struct memory_file memory = {data, bytes};
	struct image_source source = {memory_file_read, &memory, bytes};
	const struct debug_sources sources = {.file = &source};
	struct result_blob result;
	struct lines_check checked;
	size_t total = 0;

	if (lines_find(&result, &sources, vaddrs, count) == PARSER_OK) {
		if (lines_check_check(&checked, result.data, result.bytes, count) < 0)
			abort();
		for (uint32_t i = 0; i < checked.header->call_count; i++)
			if (checked.calls[i].function != PARSER_NO_NAME)
				total += strlen(checked.names + checked.calls[i].function);
		if (total > (size_t)checked.header->call_count * PARSER_LINES_NAME_MAX)
			abort();
	}
	result_blob_free(&result);
	return 0;
}
