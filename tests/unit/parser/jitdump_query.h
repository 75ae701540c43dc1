/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * jitdump_query - compiles what jitdump_builder wrote, and asks the table for names and lines
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>

#include "symbolizer/names/code_table.h"
#include "symbolizer/parser/jit/jitdump.h"
#include "tests/unit/parser/jitdump_builder.h"

#define BASE 0x7f0000000000ull

static struct jitdump_builder dump;
static struct result_blob compiled;
static struct code_table codes;

static inline int read_dump(void *context, void *to, uint64_t offset, size_t bytes)
{
	if (offset > dump.count || bytes > dump.count - offset)
		return -EIO;
	memcpy(to, dump.bytes + offset, bytes);
	return 0;
}

static inline int compile_source(const struct image_source *source)
{
	size_t bytes;
	int r;

	result_blob_free(&compiled);
	r = jitdump_compile(&compiled, source);
	if (r == PARSER_OK) {
		assert_int_equal(code_table_parse(&codes, compiled.data, compiled.bytes, &bytes),
				 0);
		assert_int_equal(bytes, compiled.bytes);
	}
	return r;
}

/* @claimed: the size of the file when it was opened. */
static inline int compile_as(uint64_t claimed)
{
	return compile_source(&(struct image_source){read_dump, NULL, claimed});
}

static inline void compile(void)
{
	assert_int_equal(compile_as(dump.count), PARSER_OK);
}

static inline const struct parser_code *code_at(uint64_t address, uint64_t ktime)
{
	uint32_t offset, version = code_table_find(&codes, address, ktime, &offset);
	const struct parser_code *code;
	uint64_t found;

	if (version == CODE_TABLE_NONE)
		return NULL;
	code = code_table_code(&codes, version, offset, &found);
	assert_non_null(code);
	assert_true(found == address);
	return code;
}

static inline const char *name_at(uint64_t address, uint64_t ktime)
{
	const struct parser_code *code = code_at(address, ktime);

	return code ? codes.names + code->name : "";
}

/* As "path:line". */
static inline const char *line_at(uint64_t address, uint64_t ktime)
{
	const struct parser_code *code = code_at(address, ktime);
	const struct parser_code_line *line = code ? code_table_line(&codes, code, address) : NULL;
	static char text[128];

	if (!line)
		return "";
	(void)snprintf(text, sizeof(text), "%s:%u", codes.names + line->path, line->line);
	return text;
}

static inline int free_compiled(void **state)
{
	result_blob_free(&compiled);
	return 0;
}
