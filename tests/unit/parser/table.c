/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table - what a test expects of the rows of a file that it made
 */

#include "tests/unit/parser/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "symbolizer/parser/unwind_compile.h"

static struct symbolize answer;
static struct tm_unwind_table_view view;

void table_open(struct cfimake *make)
{
	table_close();
	assert_int_equal(cfimake_compile(make, &answer), PARSER_OK);
	assert_int_equal(tm_unwind_table_check(&view, answer.blob, answer.bytes), 0);
}

const struct tm_unwind_table *table_header(void)
{
	return view.header;
}

void table_expect_at(const char *file, int line, uint64_t offset, const char *text)
{
	char said[SAY_BYTES];
	const char *found = say_rule(tm_unwind_table_find(&view, offset), said);

	_assert_string_equal(found, text, file, line);
}

void table_close(void)
{
	symbolize_free(&answer);
}
