/* SPDX-License-Identifier: Apache-2.0 */
/* test_table - the table of `tidemark top` has the times of the report, and is read again */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/top_table.h"
#include "symbolizer/output/output_file.h"
#include "tests/interop/report_builder.h"

#define PERIOD ((uint64_t)REPORT_BUILDER_PERIOD_NS)

static struct report_builder builder;
static struct top_table table;

static int start(void **state)
{
	report_builder_init(&builder);
	return 0;
}

static int end(void **state)
{
	report_builder_deinit(&builder);
	return 0;
}

/* Writes the report into a file as that of the command, and reads the table. */
static void round_trip(const struct report *report)
{
	static char text[TM_VIEW_TABLE_BYTES];
	static struct output_file out; /* large */
	int fd = memfd_create("table", MFD_CLOEXEC);
	ssize_t got;

	assert_true(fd >= 0);
	output_file_init(&out, fd);
	assert_int_equal(table_write(&out, report), 0);
	got = pread(fd, text, sizeof(text), 0);
	assert_true(got > 0 && got < (ssize_t)sizeof(text));
	assert_int_equal(top_table_parse(&table, text, (size_t)got), 0);
	(void)close(fd);
}

static const struct top_row *find(enum top_by by, const char *name)
{
	for (size_t i = 0; i < table.row_count; i++)
		if (table.rows[i].by == by && strcmp(table.rows[i].name, name) == 0)
			return &table.rows[i];
	fail_msg("no row of %s", name);
	return NULL;
}

static void check_times(const struct top_row *row, enum top_kind kind, uint64_t self,
			uint64_t total)
{
	assert_int_equal(row->ns[kind][TOP_SELF], self);
	assert_int_equal(row->ns[kind][TOP_TOTAL], total);
}

static void sums_and_rows_are_those_of_the_report(void **state)
{
	const char *container = "34dc0b5e626f2c5c4c5170e34b10e7654ce36f0fcd532739f4445baabea03376";
	const struct top_row *row;

	assert_int_equal(report_case(&builder, "tiny"), 0);
	round_trip(report_builder_report(&builder));
	assert_true(table.sums[TOP_ON_CPU].recorded);
	assert_int_equal(table.sums[TOP_ON_CPU].exported, 1000);
	assert_int_equal(table.sums[TOP_ON_CPU].ns, 1000 * PERIOD);
	assert_false(table.sums[TOP_OFF_CPU].recorded);
	row = find(TOP_BY_FUNCTION, "hot_sixty");
	check_times(row, TOP_ON_CPU, 600 * PERIOD, 600 * PERIOD);
	assert_string_equal(row->detail, "tiny");
	check_times(find(TOP_BY_FUNCTION, "main"), TOP_ON_CPU, 0, 1000 * PERIOD);
	row = find(TOP_BY_PROCESS, "100 tiny");
	check_times(row, TOP_ON_CPU, 1000 * PERIOD, 1000 * PERIOD);
	assert_string_equal(row->detail, "/usr/bin/tiny");
	check_times(find(TOP_BY_CONTAINER, container), TOP_ON_CPU, 1000 * PERIOD, 1000 * PERIOD);
	assert_int_equal(table.row_count, 5 + 1 + 1); /* functions, process, container */
}

static void kinds_stay_apart_and_recursion_counts_once(void **state)
{
	uint32_t file = report_builder_file(&builder, "/bin/prog", "", 0);
	uint32_t one = report_builder_process(&builder, 1, "a", "/bin/prog");
	uint32_t other = report_builder_process(&builder, 2, "b", "/bin/prog");
	uint32_t twice[2], stack;

	twice[1] = twice[0] = report_builder_frame(&builder, "again", file, 0x10, REPORT_NATIVE);
	stack = report_builder_stack(&builder, twice, 2);
	(void)report_builder_sample(&builder, one, 1, "a", stack, TM_STOP_NONE, 3);
	report_builder_measured(
		&builder, report_builder_sample(&builder, other, 2, "b", stack, TM_STOP_NONE, 1),
		TM_SAMPLE_OFF_CPU, 77);
	round_trip(report_builder_report(&builder));
	check_times(find(TOP_BY_FUNCTION, "again"), TOP_ON_CPU, 3 * PERIOD, 3 * PERIOD);
	check_times(find(TOP_BY_FUNCTION, "again"), TOP_OFF_CPU, 77, 77);
	check_times(find(TOP_BY_PROCESS, "1 a"), TOP_OFF_CPU, 0, 0);
	check_times(find(TOP_BY_PROCESS, "2 b"), TOP_OFF_CPU, 77, 77);
	check_times(find(TOP_BY_CONTAINER, ""), TOP_ON_CPU, 3 * PERIOD, 3 * PERIOD);
	assert_true(table.sums[TOP_OFF_CPU].recorded);
	assert_int_equal(table.sums[TOP_OFF_CPU].ns, 77);
}

static void names_of_any_length_and_kind_are_no_syntax(void **state)
{
	static const char *const cases[] = {"hostile", "large"};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(report_case(&builder, cases[i]), 0);
		round_trip(report_builder_report(&builder));
		assert_true(table.row_count > 3);
		report_builder_deinit(&builder);
		report_builder_init(&builder);
	}
}

static void the_rows_with_most_time_are_kept(void **state)
{
	uint32_t file = report_builder_file(&builder, "/bin/prog", "", 0);
	uint32_t process = report_builder_process(&builder, 1, "a", "/bin/prog");
	size_t functions = 0;
	char name[32];

	for (uint32_t i = 1; i <= 3 * TM_VIEW_TABLE_RANKED; i++) {
		uint32_t frame;

		(void)snprintf(name, sizeof(name), "f%u", i);
		frame = report_builder_frame(&builder, name, file, 0x10ull * i, REPORT_NATIVE);
		(void)report_builder_sample(&builder, process, 1, "a",
					    report_builder_stack(&builder, &frame, 1), TM_STOP_NONE,
					    i);
	}
	round_trip(report_builder_report(&builder));
	for (size_t i = 0; i < table.row_count; i++)
		functions += table.rows[i].by == TOP_BY_FUNCTION;
	assert_int_equal(functions, TM_VIEW_TABLE_RANKED);
	for (uint32_t i = 2 * TM_VIEW_TABLE_RANKED + 1; i <= 3 * TM_VIEW_TABLE_RANKED; i++) {
		(void)snprintf(name, sizeof(name), "f%u", i);
		check_times(find(TOP_BY_FUNCTION, name), TOP_ON_CPU, i * PERIOD, i * PERIOD);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sums_and_rows_are_those_of_the_report, start, end),
		cmocka_unit_test_setup_teardown(kinds_stay_apart_and_recursion_counts_once, start,
						end),
		cmocka_unit_test_setup_teardown(names_of_any_length_and_kind_are_no_syntax, start,
						end),
		cmocka_unit_test_setup_teardown(the_rows_with_most_time_are_kept, start, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
