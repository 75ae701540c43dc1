/* SPDX-License-Identifier: Apache-2.0 */
/* test_folded - rows, their order, and names that contain the format's separators */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "symbolizer/output/output_file.h"
#include "tests/interop/report_builder.h"

static struct report_builder builder;
static struct output_file out;

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

static void assert_folded(const char *wanted)
{
	_cleanup_(tm_closep) int fd = memfd_create("folded", MFD_CLOEXEC);
	char found[4096] = "";

	output_file_init(&out, fd);
	assert_int_equal(folded_write(&out, report_builder_report(&builder)), 0);
	assert_true(pread(fd, found, sizeof(found) - 1, 0) >= 0);
	assert_string_equal(found, wanted);
}

static uint32_t frame(const char *name, enum report_kind kind)
{
	return report_builder_frame(&builder, name, REPORT_NO_FILE, 0, kind);
}

static void report_without_samples_is_an_empty_file(void **state)
{
	assert_folded("");
}

static void a_stack_is_written_root_first_with_kernel_frames_marked(void **state)
{
	const uint32_t stack[] = {frame("vfs_read", REPORT_KERNEL), frame("read", REPORT_NATIVE),
				  frame("main", REPORT_NATIVE)};
	uint32_t process = report_builder_process(&builder, 1, "cat", "/bin/cat");

	report_builder_sample(&builder, process, 1, "cat", report_builder_stack(&builder, stack, 3),
			      0, 12);
	assert_folded("cat;main;read;vfs_read_[k] 12\n");
}

static void a_frame_of_a_kernel_file_is_marked_whatever_its_kind(void **state)
{
	uint32_t file = report_builder_file(&builder, "ext4", "", 1);
	const uint32_t stack[] = {
		report_builder_frame(&builder, "ext4+0x12", file, 0x12, REPORT_UNRESOLVED)};
	uint32_t process = report_builder_process(&builder, 1, "cat", "/bin/cat");

	report_builder_sample(&builder, process, 1, "cat", report_builder_stack(&builder, stack, 1),
			      0, 1);
	assert_folded("cat;ext4+0x12_[k] 1\n");
}

static void separators_and_controls_become_underscores(void **state)
{
	const uint32_t stack[] = {frame("a;b\nc\rd\x7f\x01", REPORT_NATIVE)};
	uint32_t process = report_builder_process(&builder, 1, "x", "");

	report_builder_sample(&builder, process, 1, "co;mm\n",
			      report_builder_stack(&builder, stack, 1), 0, 3);
	assert_folded("co_mm_;a_b_c_d__ 3\n");
}

static void rows_that_read_the_same_are_one(void **state)
{
	const uint32_t first[] = {frame("f;g", REPORT_NATIVE)};
	const uint32_t second[] = {frame("f_g", REPORT_NATIVE)};
	uint32_t one = report_builder_process(&builder, 1, "x", "");
	uint32_t other = report_builder_process(&builder, 2, "y", "");

	report_builder_sample(&builder, one, 1, "same", report_builder_stack(&builder, first, 1), 0,
			      3);
	report_builder_sample(&builder, other, 2, "same", report_builder_stack(&builder, second, 1),
			      0, 4);
	report_builder_sample(&builder, other, 3, "same", report_builder_stack(&builder, second, 1),
			      TM_STOP_DEPTH, 5);
	assert_folded("same;f_g 7\nsame;[truncated: depth];f_g 5\n");
}

static void the_order_does_not_depend_on_that_of_the_samples(void **state)
{
	static const char wanted[] = "a;x 1\na;x;y 2\na;z 4\nb;x 8\n";
	uint32_t x = frame("x", REPORT_NATIVE);
	uint32_t y = frame("y", REPORT_NATIVE);
	uint32_t z = frame("z", REPORT_NATIVE);
	const uint32_t deep[] = {y, x};
	uint32_t process = report_builder_process(&builder, 1, "p", "");
	uint32_t sx = report_builder_stack(&builder, &x, 1);
	uint32_t sxy = report_builder_stack(&builder, deep, 2);
	uint32_t sz = report_builder_stack(&builder, &z, 1);

	report_builder_sample(&builder, process, 1, "b", sx, 0, 8);
	report_builder_sample(&builder, process, 1, "a", sz, 0, 4);
	report_builder_sample(&builder, process, 1, "a", sxy, 0, 2);
	report_builder_sample(&builder, process, 1, "a", sx, 0, 1);
	assert_folded(wanted);
}

static void a_stack_without_frames_and_an_empty_name_are_written(void **state)
{
	const uint32_t stack[] = {frame("leaf", REPORT_NATIVE), frame("", REPORT_NATIVE)};
	uint32_t process = report_builder_process(&builder, 1, "p", "");

	report_builder_sample(&builder, process, 1, "p", report_builder_stack(&builder, stack, 0),
			      0, 1);
	report_builder_sample(&builder, process, 1, "p", report_builder_stack(&builder, stack, 0),
			      TM_STOP_EXITING, 2);
	report_builder_sample(&builder, process, 1, "p", report_builder_stack(&builder, stack, 2),
			      0, 4);
	assert_folded("p 1\np;_;leaf 4\np;[truncated: exiting] 2\n");
}

static void a_comparison_has_two_numbers_what_it_is_compared_with_first(void **state)
{
	report_case_compared(&builder);
	assert_folded("server;main;added 0 50\n"
		      "server;main;gone 500 0\n"
		      "server;main;grew 200 300\n"
		      "server;main;stayed 300 150\n");
}

#define PYTHON_ROOT "python3;_start;<module>"
#define JAVA_ROOT   "java;JavaMain;StubRoutines (1);app/Work$$Lambda.run;"

static void functions_of_every_runtime_have_lines_if_they_are_wanted(void **state)
{
	builder.report.folded_lines = REPORT_LINES_ALL;
	report_case_runtimes(&builder);
	assert_folded(JAVA_ROOT
		      "app/Work.step (Work.java:28) 5\n" JAVA_ROOT
		      "app/Work.step (Work.java:30) 3\n" JAVA_ROOT
		      "java/lang/String.valueOf (String.java:4539) 1\n" JAVA_ROOT
		      "java/lang/String.valueOf (String.java:4539);I2C/C2I adapters 1\n" JAVA_ROOT
		      "java/lang/String.valueOf (String.java:4557) 2\n" PYTHON_ROOT
		      " (main.py:40);Worker.run (work.py:12);sha256_block 40\n" PYTHON_ROOT
		      " (main.py:40);Worker.run (work.py:14) 24\n" PYTHON_ROOT
		      " (main.py:40);_load (<frozen importlib__bootstrap>);"
		      "[python] 2\n");
}

static void functions_of_no_runtime_have_lines_if_they_are_not_wanted(void **state)
{
	builder.report.folded_lines = REPORT_LINES_NONE;
	report_case_runtimes(&builder);
	assert_folded(JAVA_ROOT
		      "app/Work.step 8\n" JAVA_ROOT "java/lang/String.valueOf 3\n" JAVA_ROOT
		      "java/lang/String.valueOf;I2C/C2I adapters 1\n" PYTHON_ROOT
		      ";Worker.run 24\n" PYTHON_ROOT ";Worker.run;sha256_block 40\n" PYTHON_ROOT
		      ";_load;[python] 2\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(report_without_samples_is_an_empty_file),
		TEST(a_comparison_has_two_numbers_what_it_is_compared_with_first),
		TEST(a_stack_is_written_root_first_with_kernel_frames_marked),
		TEST(a_frame_of_a_kernel_file_is_marked_whatever_its_kind),
		TEST(separators_and_controls_become_underscores),
		TEST(rows_that_read_the_same_are_one),
		TEST(the_order_does_not_depend_on_that_of_the_samples),
		TEST(functions_of_every_runtime_have_lines_if_they_are_wanted),
		TEST(functions_of_no_runtime_have_lines_if_they_are_not_wanted),
		TEST(a_stack_without_frames_and_an_empty_name_are_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
