/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python_layout - where the fields lie that the unwinder reads, by version of CPython
 */

#include "symbolizer/parser/python/python_layout.h"

#include <stddef.h>

static const struct {
	uint32_t version;
	struct tm_python python;
} layouts[] = {
	{0x030b,
	 {.entry = TM_PYTHON_FLAG,
	  .flags = TM_PYTHON_CHAIN,
	  .unit_shift = 1,
	  .runtime_interpreters = 40,
	  .interpreter_next = 0,
	  .interpreter_threads = 16,
	  .thread_previous = 0,
	  .thread_next = 8,
	  .thread_interpreter = 16,
	  .thread_id = 152,
	  .thread_frame = 56,
	  .chain_frame = 8,
	  .chain_previous = 16,
	  .frame_previous = 48,
	  .frame_code = 32,
	  .frame_instruction = 56,
	  .frame_owner = 68,
	  .code_file = 112,
	  .code_name = 128,
	  .code_lines = 136,
	  .code_first_line = 72,
	  .code_instructions = 184,
	  .string_length = 16,
	  .string_hash = 24,
	  .string_state = 32,
	  .string_ascii = 48,
	  .string_wide = 72,
	  .bytes_length = 16,
	  .bytes_data = 32,
	  .string_kind = 2}},
};

const struct tm_python *python_layout_find(uint32_t version)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (layouts[i].version == version)
			return &layouts[i].python;
	return NULL;
}
