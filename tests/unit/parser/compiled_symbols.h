/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * compiled_symbols - the symbol table that the parser compiles of a built ELF file; include it
 * behind cmocka.h
 */

#include <string.h>

#include "symbolizer/parser/symbols/symbols_compile.h"
#include "tests/unit/parser/elf_builder.h"
#include "tests/unit/parser/symbols_view.h"

static struct elf_builder elf;
static struct result_blob result;
static struct symbols_view view; /* of the result, if there is one */
static uint64_t bytes_read;      /* of the file, by the last compile() */

static int open_elf(void **state)
{
	elf_builder_open(&elf);
	return 0;
}

static int free_result(void **state)
{
	result_blob_free(&result);
	return 0;
}

static int read_memory(void *context, void *to, uint64_t offset, size_t bytes)
{
	assert_true(offset <= ELF_BUILDER_BYTES && bytes <= ELF_BUILDER_BYTES - offset);
	memcpy(to, (const uint8_t *)context + offset, bytes);
	bytes_read += bytes;
	return 0;
}

/* Return: enum parser_status. */
static int compile(void)
{
	struct image_source source = {read_memory, &elf, ELF_BUILDER_BYTES};
	int status;

	result_blob_free(&result);
	bytes_read = 0;
	status = symbols_compile(&result, &source);
	if (status == PARSER_OK)
		assert_null(symbols_view_open(&view, result.data, result.bytes));
	else
		assert_null(result.data);
	return status;
}

/* The name at an address, or "". */
static inline const char *name_at(uint64_t vaddr)
{
	const struct parser_symbol *symbol = symbols_view_find(&view, vaddr);

	return symbol ? view.names + symbol->name : "";
}
