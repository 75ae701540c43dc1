/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_report_methods - frames of a language runtime's functions in a report
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shared/runtime.h"
#include "symbolizer/output/report_build.h"
#include "tests/unit/symbolizer/make.h"
#include "tests/unit/symbolizer/recording.h"

static struct recording recording;
static struct name_table names;
static struct report_build build;
static struct ksyms kernel;
static union make_record record;

/* Of python3.11, function at line 10: places 0 to 2 are in line 10, 3 to 6 in line 11. */
static const uint8_t lines[] = {0xe8, 0x00, 0xe8, 0x00, 0x80, 0x00, 0xd8, 0x0a, 0x0f,
				0x88, 0x25, 0x88, 0x25, 0xf0, 0x00, 0x01, 0x03, 0x04};

static const struct {
	struct tm_kernel_table header;
	struct tm_kernel_module module;
	struct tm_kernel_symbol symbols[2];
	char names[24];
} table = {
	{TM_KERNEL_MAGIC, 1, 2, 24},
	{1, 0, 0x1000},
	{{0x0, 8, 0}, {0x10, 13, 0}},
	"\0kernel\0hook\0__schedule",
};

static int begin(void **state)
{
	assert_int_equal(recording_make(&recording), 0);
	assert_int_equal(ksyms_parse(&kernel, &table, sizeof(table)), 0);
	name_table_init(&names, &recording.strings, &recording.store);
	return 0;
}

static int end(void **state)
{
	report_build_deinit(&build);
	name_table_deinit(&names);
	assert_int_equal(recording_end(&recording), 0);
	return 0;
}

static void announce(uint64_t number, const char *name)
{
	make_method(&record, number, name, "/srv/app/work.py", lines, sizeof(lines));
	assert_int_equal(methods_announce(&recording.methods, &record.method), 0);
}

static void sample(const uint64_t *words, uint16_t count)
{
	make_sample(&record, 1, 42, "c", words, 0, count);
	assert_int_equal(aggregate_add(&recording.aggregate, &record.sample), 0);
}

static void finish(void)
{
	assert_int_equal(name_table_collect(&names, &recording.aggregate), 0);
	name_table_resolve(&names, &recording.files);
	assert_int_equal(report_build_init(&build, &recording.aggregate, &names, &kernel), 0);
}

static const char *name_of(uint32_t place)
{
	const struct report *report = &build.report;
	const struct report_frame *frame = &report->frames[report->stack_frames[place]];

	return report->strings[report_outermost(report, frame)->name];
}

static const struct report_call *call(uint32_t place, const char *name)
{
	const struct report *report = &build.report;
	const struct report_frame *frame = &report->frames[report->stack_frames[place]];

	assert_int_equal(frame->kind, REPORT_RUNTIME);
	assert_int_equal(frame->file, REPORT_NO_FILE);
	assert_string_equal(name_of(place), name);
	return report_outermost(report, frame);
}

static void method_has_name_file_and_line(void **state)
{
	static const uint64_t words[] = {METHOD_WORD(7, 3), METHOD_WORD(7, 2),
					 METHOD_WORD(8, TM_FRAME_PLACE_MAX)};
	const struct report_call *leaf;

	announce(7, "Worker.run");
	announce(8, "main");
	sample(words, 3);
	finish();
	leaf = call(0, "Worker.run");
	assert_int_equal(leaf->line, 11);
	assert_int_equal(leaf->start_line, 10);
	assert_string_equal(build.report.strings[leaf->path], "/srv/app/work.py");
	assert_string_equal(build.report.strings[leaf->system_name], "");
	assert_int_equal(call(1, "Worker.run")->line, 10);
	assert_int_equal(call(2, "main")->line, 0);
	assert_int_equal(build.report.unnamed_frames, 0);
}

/* Files 1 and 2 are the interpreter and a library that calls it again. */
static const uint64_t mixed[] = {FILE_WORD(2, 0x10), METHOD_WORD(7, 3),  METHOD_WORD(7, 3),
				 FILE_WORD(1, 0x20), FILE_WORD(2, 0x30), METHOD_WORD(7, 0),
				 FILE_WORD(1, 0x40), FILE_WORD(1, 0x50)};

static void interpreter_behind_its_functions_is_not_shown(void **state)
{
	announce(7, "work");
	sample(mixed, 8);
	sample(mixed, 8);
	finish();
	assert_int_equal(build.report.stacks[0].count, 6);
	assert_string_equal(name_of(0), "[unknown file]+0x10");
	assert_string_equal(name_of(1), "work");
	assert_string_equal(name_of(2), "work");
	assert_string_equal(name_of(3), "[unknown file]+0x30");
	assert_string_equal(name_of(4), "work");
	assert_string_equal(name_of(5), "[unknown file]+0x50");
	assert_int_equal(build.report.samples[0].count, 2);
	assert_int_equal(build.report.exported, 2);
	assert_int_equal(build.report.frames_shown, 2 * 6);
	assert_int_equal(build.report.unnamed_frames, 2 * 3);
	assert_int_equal(build.report.lines, 2 * 3);
}

/* Which has no such frame: behind a method of Java stands who called it. */
static void caller_of_java_is_shown(void **state)
{
	make_java_method(&record, 7, "app/Work", "step", "()V");
	assert_int_equal(methods_announce(&recording.methods, &record.method), 0);
	sample(mixed, 8);
	finish();
	assert_int_equal(build.report.stacks[0].count, 8);
	assert_string_equal(name_of(3), "[unknown file]+0x20");
	assert_string_equal(name_of(6), "[unknown file]+0x40");
	assert_int_equal(build.report.frames_shown, 8);
}

static void interpreter_is_shown_if_it_is_wanted(void **state)
{
	names.runtime_internals = true;
	announce(7, "work");
	sample(mixed, 8);
	finish();
	assert_int_equal(build.report.stacks[0].count, 8);
	assert_string_equal(name_of(3), "[unknown file]+0x20");
	assert_string_equal(name_of(6), "[unknown file]+0x40");
	assert_int_equal(build.report.frames_shown, 8);
}

/* Both kinds share one stack of the aggregate, which is two of the report. */
static void interpreter_is_not_shown_in_stacks_of_waiting_threads(void **state)
{
	const uint64_t words[] = {KERNEL_WORD(0, 0x8), KERNEL_WORD(0, 0x10), METHOD_WORD(7, 3),
				  FILE_WORD(1, 0x20), FILE_WORD(1, 0x50)};

	announce(7, "work");
	make_sample(&record, 1, 42, "c", words, 2, 3);
	assert_int_equal(aggregate_add(&recording.aggregate, &record.sample), 0);
	make_off_cpu(&record, TM_THREAD_INTERRUPTIBLE, 100);
	assert_int_equal(aggregate_add(&recording.aggregate, &record.sample), 0);
	finish();
	assert_int_equal(build.report.stack_count, 2);
	assert_int_equal(build.report.stacks[0].first, 0);
	assert_int_equal(build.report.stacks[0].count, 4);
	assert_int_equal(build.report.stacks[1].first, 2);
	assert_int_equal(build.report.stacks[1].count, 2);
	assert_string_equal(name_of(3), "[unknown file]+0x50");
}

static void interpreter_is_not_shown_in_stacks_of_wakers(void **state)
{
	static union make_record waker;

	announce(7, "work");
	make_sample(&waker, 1, 43, "w", mixed + 5, 0, 3);
	make_waker(&waker, 42, 1);
	make_sample(&record, 1, 42, "c", mixed + 7, 0, 1);
	make_off_cpu(&record, TM_THREAD_INTERRUPTIBLE, 100);
	assert_int_equal(
		aggregate_add_woken(&recording.aggregate, &record.sample, 100, &waker.sample), 0);
	finish();
	assert_true(build.report.samples[0].woken);
	assert_int_equal(build.report.stacks[build.report.samples[0].stack].count, 5);
}

/* A frame tells by its word alone whose it is. Behind that of Java nothing is hidden. */
static void unknown_method_is_its_runtime(void **state)
{
	static const uint64_t words[] = {METHOD_WORD(0, 3), METHOD_WORD(8, 3), METHOD_WORD(1, 3),
					 METHOD_WORD(9, 3), FILE_WORD(2, 0x10)};

	sample(words, 5);
	finish();
	assert_int_equal(call(0, "[python]")->line, 0);
	assert_int_equal(call(1, "[python]")->path, 0);
	assert_int_equal(call(2, "[java]")->line, 0);
	assert_int_equal(call(3, "[java]")->path, 0);
	assert_int_equal(build.report.stacks[0].count, 5);
	assert_int_equal(build.report.unnamed_frames, 5);
}

static void java_method_has_class_file_and_line(void **state)
{
	/* Line 5 from place 0, 7 from place 2; what follows means nothing. */
	static const uint8_t pairs[] = {0x05, 0x12, 0x00, 0x29};
	static const uint64_t words[] = {METHOD_WORD(7, 3), METHOD_WORD(8, 2),
					 METHOD_WORD(7, TM_FRAME_PLACE_MAX)};
	const struct report_call *leaf;

	make_java_method(&record, 7, "java/lang/String", "charAt", "(I)C");
	make_java_lines(&record, "String.java", pairs, sizeof(pairs));
	assert_int_equal(methods_announce(&recording.methods, &record.method), 0);
	make_java_method(&record, 8, "", "I2C/C2I adapters", "");
	record.method.flags = TM_METHOD_STUB;
	assert_int_equal(methods_announce(&recording.methods, &record.method), 0);
	sample(words, 3);
	finish();
	leaf = call(0, "java.lang.String.charAt");
	assert_string_equal(build.report.strings[leaf->system_name], "java/lang/String.charAt(I)C");
	assert_string_equal(build.report.strings[leaf->path], "String.java");
	assert_int_equal(leaf->line, 7);
	assert_int_equal(leaf->start_line, 5);
	assert_int_equal(call(2, "java.lang.String.charAt")->line, 0);
	assert_int_equal(build.report.lines, 1);
	assert_int_equal(call(1, "I2C/C2I adapters")->system_name, 0);
	assert_int_equal(build.report.frames[0].runtime, TM_RUNTIME_JAVA);
	assert_int_equal(build.report.unnamed_frames, 0);
}

/* Its texts were not in memory. */
static void java_method_without_a_name_is_java(void **state)
{
	static const uint64_t words[] = {METHOD_WORD(7, 3)};

	make_java_method(&record, 7, "java/lang/String", "", "(I)C");
	record.method.flags = TM_METHOD_NOT_RESIDENT;
	assert_int_equal(methods_announce(&recording.methods, &record.method), 0);
	sample(words, 1);
	finish();
	assert_int_equal(call(0, "[java]")->system_name, 0);
	assert_int_equal(build.report.unnamed_frames, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(method_has_name_file_and_line, begin, end),
		cmocka_unit_test_setup_teardown(interpreter_behind_its_functions_is_not_shown,
						begin, end),
		cmocka_unit_test_setup_teardown(caller_of_java_is_shown, begin, end),
		cmocka_unit_test_setup_teardown(interpreter_is_shown_if_it_is_wanted, begin, end),
		cmocka_unit_test_setup_teardown(
			interpreter_is_not_shown_in_stacks_of_waiting_threads, begin, end),
		cmocka_unit_test_setup_teardown(interpreter_is_not_shown_in_stacks_of_wakers, begin,
						end),
		cmocka_unit_test_setup_teardown(unknown_method_is_its_runtime, begin, end),
		cmocka_unit_test_setup_teardown(java_method_has_class_file_and_line, begin, end),
		cmocka_unit_test_setup_teardown(java_method_without_a_name_is_java, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
