/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile_input - compiles a small ELF file, one part of which is the fuzzer's input
 */

#include "tests/fuzz/compile_input.h"

#include <stdlib.h>
#include <string.h>

#include "shared/unwind_table.h"

void compile_input_check_table(const void *blob, size_t bytes)
{
	struct tm_unwind_table_view view;
	const struct tm_rule *end;

	if (tm_unwind_table_check(&view, blob, bytes) < 0)
		return;
	end = view.rules + view.header->rules;
	for (uint32_t i = 0; i < view.header->pages; i++) {
		uint32_t page = view.header->pages > 64 ? i * 977 % view.header->pages : i;
		const struct tm_rule *rule = tm_unwind_table_find(&view, view.starts[page]);

		if (rule != &view.rules[view.pages[page].rules[0]])
			abort(); /* the start of a page must find its first row */
		rule = tm_unwind_table_find(&view, (uint64_t)view.starts[page] + 0x123);
		if (rule < view.rules || rule >= end)
			abort();
	}
	if (view.header->pages && tm_unwind_table_find(&view, UINT64_MAX) >= end)
		abort();
}

static void run(struct cfi_builder *builder)
{
	struct result_blob result;
	struct tm_unwind_table_view view;

	if (cfi_builder_compile(builder, &result) == PARSER_OK) {
		if (tm_unwind_table_check(&view, result.data, result.bytes) < 0)
			abort(); /* our own tables must pass */
		compile_input_check_table(result.data, result.bytes);
	}
	result_blob_free(&result);
}

void compile_input_section(enum cfi_builder_part part, const uint8_t *data, size_t bytes)
{
	static struct cfi_builder builder;

	cfi_builder_open(&builder);
	(void)cfi_builder_put(&builder, part, data,
			      bytes < CFI_BUILDER_PART ? (uint32_t)bytes : CFI_BUILDER_PART);
	run(&builder);
}

void compile_input_code(const uint8_t *data, size_t bytes)
{
	static const uint8_t caller[] = {0x55, 0xe8, 10, 0, 0, 0, 0x5d, 0xc3};
	static struct cfi_builder builder;
	const size_t capacity = CFI_BUILDER_DATA - CFI_BUILDER_TEXT - 16;

	bytes = bytes < capacity ? bytes : capacity;
	cfi_builder_open(&builder);
	builder.header->e_entry = CFI_BUILDER_VADDR;
	memcpy(builder.file + CFI_BUILDER_TEXT, caller, sizeof(caller));
	if (bytes)
		memcpy(builder.file + CFI_BUILDER_TEXT + 16, data, bytes);
	builder.segments[0].p_filesz = 16 + bytes; /* the segment ends with the code */
	run(&builder);
}

void compile_input_python(const uint8_t *data, size_t bytes)
{
	static struct python_builder builder;
	const size_t capacity = CFI_BUILDER_DATA - PYTHON_BUILDER_GET;
	size_t content = sizeof(*builder.content);

	python_builder_open(&builder, 0);
	python_builder_function(&builder, COMPILE_INPUT_PART, 0x40);
	content = bytes < content ? bytes : content;
	bytes = bytes - content < capacity ? bytes - content : capacity;
	if (content)
		memcpy(builder.content, data, content);
	if (bytes)
		memcpy(builder.elf.file + PYTHON_BUILDER_GET, data + content, bytes);
	run(&builder.elf);
}

void compile_input_java(const uint8_t *data, size_t bytes)
{
	static struct java_builder builder;
	const size_t capacity = CFI_BUILDER_DATA - JAVA_BUILDER_CODE;
	size_t content = sizeof(*builder.content);

	java_builder_open(&builder, TM_JAVA_ADDRESS, NULL);
	content = bytes < content ? bytes : content;
	bytes = bytes - content < capacity ? bytes - content : capacity;
	if (content)
		memcpy(builder.content, data, content);
	if (bytes)
		memcpy(builder.elf.file + JAVA_BUILDER_CODE, data + content, bytes);
	run(&builder.elf);
}
