/* SPDX-License-Identifier: Apache-2.0 */
/* test_environment_file - the syntax of EnvironmentFile=, as systemd.exec(5) documents it */

#include "tests/unit/cli/check.h"

#include <stdio.h>
#include <string.h>

#include "cli/environment_file.h"

static char seen[1024]; /* LINE:KEY=VALUE; and LINE!NOTE(KEY); */

__attribute__((format(printf, 1, 2))) static void add(const char *format, ...)
{
	const size_t used = strlen(seen);
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(seen + used, sizeof(seen) - used, format, arguments);
	va_end(arguments);
}

static void on_assign(void *context, size_t line, const char *key, const char *value)
{
	add("%zu:%s=%s;", line, key, value);
}

static void on_note(void *context, size_t line, const char *key, enum environment_file_note note)
{
	add("%zu!%d(%s);", line, (int)note, key);
}

static void assert_read(const char *text, const char *expected)
{
	const struct environment_file_reader reader = {.assign = on_assign, .note = on_note};

	seen[0] = '\0';
	assert_int_equal(environment_file_read(text, strlen(text), &reader), 0);
	assert_string_equal(seen, expected);
}

static void a_line_is_an_assignment(void **state)
{
	assert_read("A=1\nB=2", "1:A=1;2:B=2;");
	assert_read("", "");
	assert_read("A=", "1:A=;");
	assert_read("A=b=c", "1:A=b=c;");
}

static void blanks_around_key_and_value_are_removed(void **state)
{
	assert_read("\t A \t=  b c \t\n", "1:A=b c;");
	assert_read("\n\n \nA=1\r\nB=2\r\n", "4:A=1;5:B=2;");
}

static void comments_begin_a_line(void **state)
{
	assert_read("# A=1\n ; B=2\nC=3 # no comment", "3:C=3 # no comment;");
	assert_read("C=#3", "1:C=#3;");
}

static void quotes_keep_blanks_and_have_several_lines(void **state)
{
	assert_read("A=' b '\nB=2", "1:A= b ;2:B=2;");
	assert_read("A=\" b\nc \" \nB=2", "1:A= b\nc ;3:B=2;");
	assert_read("A='x' \"y\" z", "1:A=xyz;");
	assert_read("A=x'y'", "1:A=x'y';");       /* only at the beginning */
	assert_read("A='\\n\\'x", "1:A=\\n\\x;"); /* no escapes in single ones */
}

static void escapes_in_double_quotes_are_four_and_a_line_end(void **state)
{
	assert_read("A=\"\\\" \\\\ \\` \\$ \\n \\\nx\"", "1:A=\" \\ ` $ \\n x;");
}

static void a_backslash_outside_quotes_takes_the_next_character(void **state)
{
	assert_read("A=a\\ \\#\\n", "1:A=a #n;");
	assert_read("A=a \\\nb\nB=2", "1:A=a b;3:B=2;");
	assert_read("A=b\\ \n", "1:A=b ;");
	assert_read("A=b\\", "1:A=b;");
}

static void nothing_is_expanded(void **state)
{
	assert_read("A=$B ${C} \"$D\" `e` %H ~", "1:A=$B ${C} \"$D\" `e` %H ~;");
}

static void a_line_without_an_assignment_is_noted(void **state)
{
	assert_read("no assignment \nA=1\nlast", "1!0(no assignment);2:A=1;3!0(last);");
	assert_read("=1\n", "1!0(=1);");
}

static void a_quote_without_end_is_noted(void **state)
{
	assert_read("A='b\nB=2\n", "1!1(A);1:A=b\nB=2\n;");
	assert_read("A=\"b\\", "1!1(A);1:A=b;");
}

static void a_comment_that_goes_on_is_noted(void **state)
{
	assert_read("# x \\\nA=1\nB=2\n", "1!2();3:B=2;");
	assert_read("# x \\y\nA=1\n", "2:A=1;");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_an_assignment),
		cmocka_unit_test(blanks_around_key_and_value_are_removed),
		cmocka_unit_test(comments_begin_a_line),
		cmocka_unit_test(quotes_keep_blanks_and_have_several_lines),
		cmocka_unit_test(escapes_in_double_quotes_are_four_and_a_line_end),
		cmocka_unit_test(a_backslash_outside_quotes_takes_the_next_character),
		cmocka_unit_test(nothing_is_expanded),
		cmocka_unit_test(a_line_without_an_assignment_is_noted),
		cmocka_unit_test(a_quote_without_end_is_noted),
		cmocka_unit_test(a_comment_that_goes_on_is_noted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
