/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compiled_table - compiles a file that a test built, and compares its rules with those expected
 */

#include "tests/unit/parser/compiled_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "symbolizer/parser/unwind_compile.h"

static struct result_blob result;
static struct tm_unwind_table_view view;

void compiled_table_open(struct cfi_builder *builder)
{
	compiled_table_close();
	assert_int_equal(cfi_builder_compile(builder, &result), PARSER_OK);
	assert_int_equal(tm_unwind_table_check(&view, result.data, result.bytes), 0);
}

const struct tm_unwind_table *compiled_table_header(void)
{
	return view.header;
}

void compiled_table_expect_at(const char *file, int line, uint64_t offset, const char *text)
{
	char buffer[RULE_TEXT_BYTES];
	const char *found = rule_text(tm_unwind_table_find(&view, offset), buffer);

	_assert_string_equal(found, text, file, line);
}

void compiled_table_close(void)
{
	result_blob_free(&result);
}
