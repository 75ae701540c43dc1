/* SPDX-License-Identifier: Apache-2.0 */
/* test_top_layout - what `tidemark top` shows of a table, and how it fits the terminal */

#include "tests/unit/cli/check.h"

#include <stdio.h>
#include <string.h>

#include "cli/top_layout.h"

#define S 1000000000ull

static struct top_layout layout;
static struct top_table table;
static struct tm_view_result result;
static struct top_layout_view view;

static void add(enum top_by by, const char *name, uint64_t self, uint64_t total, uint64_t waits)
{
	struct top_row *row = &table.rows[table.row_count++];

	row->by = by;
	row->ns[TOP_ON_CPU][TOP_SELF] = self;
	row->ns[TOP_ON_CPU][TOP_TOTAL] = total;
	row->ns[TOP_OFF_CPU][TOP_SELF] = row->ns[TOP_OFF_CPU][TOP_TOTAL] = waits;
	(void)snprintf(row->name, sizeof(row->name), "%s", name);
}

static int start(void **state)
{
	memset(&table, 0, sizeof(table));
	memset(&result, 0, sizeof(result));
	view = (struct top_layout_view){.host = "node", .now_unix_ns = 1003 * S};
	result.sides[0] = (struct tm_view_side){
		.reports = 2, .covered_ns = 10 * S, .available_end = 1000 * S + S / 2};
	table.sums[TOP_ON_CPU] = (struct top_sum){true, 105, 100, 5, 10 * S};
	table.sums[TOP_OFF_CPU] = (struct top_sum){true, 7, 7, 0, 20 * S};
	add(TOP_BY_FUNCTION, "main", 1 * S, 9 * S, 0);
	add(TOP_BY_FUNCTION, "hot", 8 * S, 8 * S, 0);
	add(TOP_BY_FUNCTION, "read", 0, 0, 20 * S);
	add(TOP_BY_PROCESS, "12 prog", 10 * S, 10 * S, 20 * S);
	add(TOP_BY_CONTAINER, "", 10 * S, 10 * S, 20 * S);
	(void)snprintf(table.rows[1].detail, sizeof(table.rows[1].detail), "prog");
	return 0;
}

static void make(void)
{
	top_layout_make(&layout, &view, &table, &result);
}

static void check_line(unsigned index, const char *text)
{
	assert_true(index < layout.count);
	assert_string_equal(layout.lines[index], text);
}

static void functions_are_sorted_by_their_own_time(void **state)
{
	make();
	assert_int_equal(layout.count, 6);
	assert_int_equal(layout.heading, 3);
	check_line(0, "tidemark top: node, 2 reports of 10.0 s, the newest 2.5 s old");
	check_line(1, "on-CPU: 100 samples for 10.0 s, 5 dropped; by function, self");
	check_line(2, "");
	check_line(3, " SELF%    SELF s TOTAL%   TOTAL s  FUNCTION");
	check_line(4, "  80.0     8.000   80.0     8.000  hot  [prog]");
	check_line(5, "  10.0     1.000   90.0     9.000  main");
}

static void or_by_the_time_with_what_they_call(void **state)
{
	view.sort = TOP_TOTAL;
	view.paused = true;
	make();
	check_line(1, "on-CPU: 100 samples for 10.0 s, 5 dropped; by function, total; paused");
	check_line(4, "  10.0     1.000   90.0     9.000  main");
}

static void waits_processes_and_containers_are_shown_alike(void **state)
{
	view.kind = TOP_OFF_CPU;
	make();
	assert_int_equal(layout.count, 5);
	check_line(1, "off-CPU: 7 samples for 20.0 s, 0 dropped; by function, self");
	check_line(4, " 100.0    20.000  100.0    20.000  read");
	view.by = TOP_BY_PROCESS;
	make();
	assert_int_equal(layout.count, 5);
	check_line(4, " 100.0    20.000  100.0    20.000  12 prog");
	view.by = TOP_BY_CONTAINER;
	make();
	check_line(4, " 100.0    20.000  100.0    20.000  (no container)");
}

static void what_is_missing_is_said(void **state)
{
	result.sides[0].missing = 3;
	result.damaged = 1;
	make();
	check_line(2, "missing: 3 samples that the reports count, 1 damaged parts");
	table.sums[TOP_OFF_CPU].recorded = false;
	view.kind = TOP_OFF_CPU;
	make();
	check_line(2, "the reports have no off-CPU times: they are recorded with --off-cpu");
}

static void before_the_first_report_there_is_none(void **state)
{
	memset(&table, 0, sizeof(table));
	memset(&result, 0, sizeof(result));
	make();
	assert_int_equal(layout.count, 4);
	check_line(0, "tidemark top: node, no report yet");
}

static void it_fits_the_terminal(void **state)
{
	view.with_keys = true;
	view.columns = 20;
	view.lines = 12;
	make();
	assert_int_equal(layout.count, 12); /* the keys stand in the last line */
	check_line(0, "tidemark top: node, ");
	check_line(10, "");
	check_line(11, "q quit  f/p/c functi");
	view.lines = 6;
	make();
	assert_int_equal(layout.count, 6);
	check_line(4, "  80.0     8.000   8"); /* one row is left */
	check_line(5, "q quit  f/p/c functi");
	for (view.lines = 1; view.lines < 6; view.lines++) {
		make();
		assert_int_equal(layout.count, view.lines);
	}
}

static void a_cut_is_between_two_characters(void **state)
{
	memset(&table.rows[1].detail, 0, sizeof(table.rows[1].detail));
	(void)stpcpy(table.rows[1].name, "\xc3\xa4\xc3\xb6\xc3\xbc");
	view.columns = 37;
	make();
	check_line(4, "  80.0     8.000   80.0     8.000  \xc3\xa4\xc3\xb6");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(functions_are_sorted_by_their_own_time, start),
		cmocka_unit_test_setup(or_by_the_time_with_what_they_call, start),
		cmocka_unit_test_setup(waits_processes_and_containers_are_shown_alike, start),
		cmocka_unit_test_setup(what_is_missing_is_said, start),
		cmocka_unit_test_setup(before_the_first_report_there_is_none, start),
		cmocka_unit_test_setup(it_fits_the_terminal, start),
		cmocka_unit_test_setup(a_cut_is_between_two_characters, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
