/* SPDX-License-Identifier: Apache-2.0 */
/* test_top_table - a table of the viewer is read whole, or refused */

#include "tests/unit/cli/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/top_table.h"

#define HEAD                                    \
	"tidemark-table\t1\n"                   \
	"sum\ton-CPU\t1\t1000\t990\t10\t9900\n" \
	"sum\toff-CPU\t0\t0\t0\t0\t0\n"

static struct top_table table;

static int parse_bytes(const char *text, size_t bytes)
{
	char *copy = malloc(bytes + 1); /* of its size, so that a sanitizer sees what is beyond */
	int r;

	assert_non_null(copy);
	memcpy(copy, text, bytes);
	r = top_table_parse(&table, copy, bytes);
	free(copy);
	return r;
}

static int parse(const char *text)
{
	return parse_bytes(text, strlen(text));
}

static void a_whole_table_is_read(void **state)
{
	const struct top_row *row = table.rows;

	assert_int_equal(parse(HEAD "function\t5\t7\t1\t2\thot\tprog\n"
				    "process\t5\t5\t0\t0\t12 prog\t/bin/prog\n"
				    "container\t5\t5\t0\t0\t\t\nend\n"),
			 0);
	assert_true(table.sums[TOP_ON_CPU].recorded);
	assert_int_equal(table.sums[TOP_ON_CPU].taken, 1000);
	assert_int_equal(table.sums[TOP_ON_CPU].exported, 990);
	assert_int_equal(table.sums[TOP_ON_CPU].dropped, 10);
	assert_int_equal(table.sums[TOP_ON_CPU].ns, 9900);
	assert_false(table.sums[TOP_OFF_CPU].recorded);
	assert_int_equal(table.row_count, 3);
	assert_int_equal(row[0].by, TOP_BY_FUNCTION);
	assert_int_equal(row[0].ns[TOP_ON_CPU][TOP_SELF], 5);
	assert_int_equal(row[0].ns[TOP_ON_CPU][TOP_TOTAL], 7);
	assert_int_equal(row[0].ns[TOP_OFF_CPU][TOP_SELF], 1);
	assert_int_equal(row[0].ns[TOP_OFF_CPU][TOP_TOTAL], 2);
	assert_string_equal(row[0].name, "hot");
	assert_string_equal(row[0].detail, "prog");
	assert_int_equal(row[1].by, TOP_BY_PROCESS);
	assert_int_equal(row[2].by, TOP_BY_CONTAINER);
	assert_string_equal(row[2].name, "");
}

static void what_is_behind_the_end_does_not_matter(void **state)
{
	static const char text[] = HEAD "end\n\0\0\0rubbish";

	assert_int_equal(parse_bytes(text, sizeof(text)), 0);
	assert_int_equal(table.row_count, 0);
}

static void names_are_cleaned_for_a_terminal(void **state)
{
	assert_int_equal(parse(HEAD "function\t1\t1\t0\t0\t\033[2Jx\xff\ty\rz\nend\n"), 0);
	assert_string_equal(table.rows[0].name, "_[2Jx\xef\xbf\xbd");
	assert_string_equal(table.rows[0].detail, "y_z");
}

static void every_other_shape_is_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"tidemark-table\t2\n",
		HEAD,                       /* no end */
		HEAD "end",                 /* no whole line */
		"tidemark-table\t1\nend\n", /* no sums */
		HEAD "thread\t1\t1\t0\t0\tx\ty\nend\n",
		HEAD "function\t1\t1\t0\t0\tx\nend\n",
		HEAD "function\t1\t1\t0\t0\tx\ty\tz\nend\n",
		HEAD "function\t-1\t1\t0\t0\tx\ty\nend\n",
		HEAD "function\t1\t9223372036854775808\t0\t0\tx\ty\nend\n",
		"tidemark-table\t1\nsum\toff-CPU\t0\t0\t0\t0\t0\nsum\ton-CPU\t0\t0\t0\t0\t0\nend\n",
		"tidemark-table\t1\nsum\ton-CPU\t2\t0\t0\t0\t0\nsum\toff-CPU\t0\t0\t0\t0\t0\nend\n",
	};
	static const char nul[] = HEAD "function\t1\t1\t0\t0\tx\0\ty\nend\n";

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (parse(texts[i]) != TOP_TABLE_E_MALFORMED)
			fail_msg("accepted: %s", texts[i]);
		assert_int_equal(table.row_count, 0);
	}
	assert_int_equal(parse_bytes(nul, sizeof(nul) - 1), TOP_TABLE_E_MALFORMED);
}

static void a_name_may_have_its_length_and_no_more(void **state)
{
	char text[512], name[TM_VIEW_TABLE_NAME_BYTES + 1] = "";

	memset(name, 'n', TM_VIEW_TABLE_NAME_BYTES - 1);
	(void)snprintf(text, sizeof(text), HEAD "process\t1\t1\t0\t0\t%s\t\nend\n", name);
	assert_int_equal(parse(text), 0);
	assert_string_equal(table.rows[0].name, name);
	memset(name, 'n', TM_VIEW_TABLE_NAME_BYTES);
	(void)snprintf(text, sizeof(text), HEAD "process\t1\t1\t0\t0\t%s\t\nend\n", name);
	assert_int_equal(parse(text), TOP_TABLE_E_MALFORMED);
}

static void there_are_as_many_rows_as_agreed_and_no_more(void **state)
{
	static const char row[] = "process\t1\t1\t0\t0\tx\ty\n";
	static char text[sizeof(HEAD) + sizeof(row) * (TM_VIEW_TABLE_ROWS + 2)];
	char *at = stpcpy(text, HEAD);

	for (unsigned i = 0; i < TM_VIEW_TABLE_ROWS; i++)
		at = stpcpy(at, row);
	(void)stpcpy(at, "end\n");
	assert_int_equal(parse(text), 0);
	assert_int_equal(table.row_count, TM_VIEW_TABLE_ROWS);
	(void)stpcpy(stpcpy(at, row), "end\n");
	assert_int_equal(parse(text), TOP_TABLE_E_MALFORMED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_table_is_read),
		cmocka_unit_test(what_is_behind_the_end_does_not_matter),
		cmocka_unit_test(names_are_cleaned_for_a_terminal),
		cmocka_unit_test(every_other_shape_is_refused),
		cmocka_unit_test(a_name_may_have_its_length_and_no_more),
		cmocka_unit_test(there_are_as_many_rows_as_agreed_and_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
