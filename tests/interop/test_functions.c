/* SPDX-License-Identifier: Apache-2.0 */
/* test_functions - what calls are one function, inlined or not, and what is counted for it */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "symbolizer/output/functions.h"
#include "symbolizer/output/html_tree.h"
#include "symbolizer/output/stack_order.h"
#include "tests/interop/report_builder.h"

static struct report_builder builder;
static struct functions functions;
static struct html_tree tree;
static uint32_t file, process;

static int start(void **state)
{
	report_builder_init(&builder);
	file = report_builder_file(&builder, "/bin/prog", "", 0);
	process = report_builder_process(&builder, 1, "prog", "/bin/prog");
	return 0;
}

static int end(void **state)
{
	functions_deinit(&functions);
	html_tree_deinit(&tree);
	report_builder_deinit(&builder);
	return 0;
}

static uint32_t frame(const char *name, uint64_t address)
{
	return report_builder_frame(&builder, name, file, address, REPORT_NATIVE);
}

static void sample(const uint32_t *leaf_first, uint32_t depth, uint64_t count)
{
	report_builder_sample(&builder, process, 1, "prog",
			      report_builder_stack(&builder, leaf_first, depth), TM_STOP_NONE,
			      count);
}

static const struct function *function_of(uint32_t call)
{
	return &functions.items[functions.of_call[call]];
}

static const char *text(uint32_t string)
{
	return builder.report.strings[string];
}

static void a_walk_goes_from_the_root_through_all_calls_of_each_frame(void **state)
{
	static const char *const wanted[] = {"root", "outer", "middle", "inner"};
	uint32_t stack[2] = {0};
	const struct report *report;
	struct stack_walk walk;

	stack[1] = frame("root", 0x1100);
	stack[0] = frame("outer", 0x1200);
	report_builder_inlined(&builder, "middle");
	report_builder_inlined(&builder, "inner");
	sample(stack, 2, 1);
	report = report_builder_report(&builder);
	walk = stack_walk_start(report, &report->stacks[0]);
	for (unsigned i = 0; i < 4; i++)
		assert_string_equal(text(report->calls[stack_walk_next(&walk)].name), wanted[i]);
	assert_int_equal(stack_walk_next(&walk), STACK_WALK_END);
}

/* Two frames of foo, the second one as an inlined call, and bar in between. */
static void the_innermost_call_has_the_self_time_and_recursion_counts_once(void **state)
{
	struct tm_top rows[TM_TOP_ROWS];
	uint32_t stack[2] = {0};

	stack[1] = frame("foo", 0x1100);
	stack[0] = frame("bar", 0x1200);
	report_builder_inlined(&builder, "foo");
	sample(stack, 2, 5);
	sample(stack + 1, 1, 2);
	assert_int_equal(functions_top(report_builder_report(&builder), rows), 2);
	assert_string_equal(rows[0].name, "foo");
	assert_int_equal(rows[0].self, 7);
	assert_int_equal(rows[0].total, 7);
	assert_string_equal(rows[1].name, "bar");
	assert_int_equal(rows[1].self, 0);
	assert_int_equal(rows[1].total, 5);
}

static void functions_rank_by_time_of_the_kind_that_is_shown(void **state)
{
	uint32_t often = frame("often", 0x1100), heavy = frame("heavy", 0x1200),
		 waits = frame("waits", 0x1300);
	struct report report;
	struct tm_top rows[TM_TOP_ROWS];

	sample(&often, 1, 3);
	sample(&heavy, 1, 2);
	report_builder_measured(&builder, 1, TM_SAMPLE_ON_CPU, 8ull * REPORT_BUILDER_PERIOD_NS + 1);
	sample(&waits, 1, 1);
	report_builder_measured(&builder, 2, TM_SAMPLE_OFF_CPU, 60000000000);
	report = *report_builder_report(&builder);
	assert_int_equal(functions_top(&report, rows), 3);
	assert_string_equal(rows[0].name, "heavy");
	assert_int_equal(rows[0].self, 8); /* samples of full weight */
	assert_string_equal(rows[1].name, "often");
	assert_int_equal(rows[1].total, 3);
	assert_int_equal(rows[2].total, 0);
	report.shown = TM_SAMPLE_OFF_CPU;
	assert_int_equal(functions_top(&report, rows), 3);
	assert_string_equal(rows[0].name, "waits");
	assert_int_equal(rows[0].self, 60000000000);
	assert_int_equal(rows[1].total, 0);
}

static void a_function_without_a_file_of_code_is_shown_with_its_source(void **state)
{
	struct tm_top rows[TM_TOP_ROWS];

	assert_int_equal(report_case(&builder, "runtimes"), 0);
	assert_int_equal(functions_top(report_builder_report(&builder), rows), TM_TOP_ROWS);
	assert_string_equal(rows[0].name, "sha256_block");
	assert_string_equal(rows[0].file, "libcrypto.so.3");
	assert_string_equal(rows[1].name, "Worker.run");
	assert_string_equal(rows[1].file, "work.py");
	assert_string_equal(rows[2].name, "app.Work.step");
	assert_string_equal(rows[2].file, "Work.java");
	assert_string_equal(rows[5].name, "[python]");
	assert_string_equal(rows[5].file, "");
}

static void a_call_without_a_source_joins_the_only_one(void **state)
{
	(void)frame("f", 0x1100);
	report_builder_source(&builder, "/src/f.c", 20, 0);
	(void)frame("f", 0x1110);
	(void)frame("f", 0x1120);
	report_builder_source(&builder, "/src/f.c", 17, 0);
	assert_int_equal(functions_init(&functions, report_builder_report(&builder)), 0);
	assert_int_equal(functions.count, 1);
	assert_string_equal(text(function_of(1)->path), "/src/f.c");
	assert_int_equal(function_of(1)->line, 17); /* where it begins is not known */
}

static void sources_of_one_name_are_as_many_functions(void **state)
{
	(void)frame("f", 0x1100);
	report_builder_source(&builder, "/src/a.c", 20, 10);
	(void)frame("f", 0x1110);
	(void)frame("f", 0x1120);
	report_builder_source(&builder, "/src/b.c", 7, 5);
	(void)frame("f", 0x1130);
	report_builder_source(&builder, "/src/a.c", 9, 10);
	assert_int_equal(functions_init(&functions, report_builder_report(&builder)), 0);
	assert_int_equal(functions.count, 3);
	assert_int_equal(functions.of_call[0], functions.of_call[3]);
	assert_int_equal(function_of(0)->line, 10);
	assert_int_equal(function_of(1)->path, 0);
	assert_string_equal(text(function_of(2)->path), "/src/b.c");
}

static void only_the_outermost_call_of_an_unnamed_frame_is_unnamed(void **state)
{
	(void)frame("prog+0x1100", 0x1100);
	report_builder_inlined(&builder, "known");
	assert_int_equal(functions_init(&functions, report_builder_report(&builder)), 0);
	assert_string_equal(text(function_of(0)->name), "known");
	assert_false(function_of(0)->unnamed);
	assert_true(function_of(1)->unnamed);
}

static void inlined_and_called_are_two_nodes_with_the_lines_of_each(void **state)
{
	uint32_t stack[2] = {0}, inlined[2];

	stack[1] = frame("main", 0x1100);
	for (unsigned i = 0; i < 2; i++) {
		inlined[i] = frame("main", 0x1200 + 16 * i);
		report_builder_inlined(&builder, "f");
		report_builder_source(&builder, "/src/f.c", 30 - i, 10);
		sample(&inlined[i], 1, 1);
	}
	stack[0] = frame("f", 0x1300);
	report_builder_source(&builder, "/src/f.c", 12, 10);
	sample(stack, 2, 4);
	assert_int_equal(html_tree_init(&tree, report_builder_report(&builder)), 0);
	assert_int_equal(tree.functions.count, 2);
	assert_int_equal(tree.node_count, 3); /* main, f called, f inlined */
	assert_int_equal(tree.class[1] ^ tree.class[2], 1);
	assert_true(tree.has_lines);
	assert_int_equal(tree.lines[0].first, 0);
	for (uint32_t i = 1; i < 3; i++) {
		assert_int_equal(tree.lines[i].first, tree.class[i] & 1 ? 29 : 12);
		assert_int_equal(tree.lines[i].last, tree.class[i] & 1 ? 30 : 12);
	}
	assert_int_equal(tree.sample_count, 2); /* the two inlined ones are one path */
	assert_int_equal(tree.samples[0].count + tree.samples[1].count, 6);
}

static void without_lines_the_tree_has_none(void **state)
{
	uint32_t leaf = frame("main", 0x1100);

	sample(&leaf, 1, 1);
	assert_int_equal(html_tree_init(&tree, report_builder_report(&builder)), 0);
	assert_false(tree.has_lines);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_walk_goes_from_the_root_through_all_calls_of_each_frame),
		TEST(the_innermost_call_has_the_self_time_and_recursion_counts_once),
		TEST(functions_rank_by_time_of_the_kind_that_is_shown),
		TEST(a_call_without_a_source_joins_the_only_one),
		TEST(sources_of_one_name_are_as_many_functions),
		TEST(only_the_outermost_call_of_an_unnamed_frame_is_unnamed),
		TEST(a_function_without_a_file_of_code_is_shown_with_its_source),
		TEST(inlined_and_called_are_two_nodes_with_the_lines_of_each),
		TEST(without_lines_the_tree_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
