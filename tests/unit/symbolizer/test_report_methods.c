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

static int begin(void **state)
{
	assert_int_equal(recording_make(&recording), 0);
	kernel = KSYMS_NULL;
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

static const struct report_call *call(uint32_t place, const char *name)
{
	const struct report *report = &build.report;
	const struct report_frame *frame = &report->frames[report->stack_frames[place]];

	assert_int_equal(frame->kind, REPORT_RUNTIME);
	assert_int_equal(frame->file, REPORT_NO_FILE);
	assert_string_equal(report->strings[report_outermost(report, frame)->name], name);
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

static void unknown_method_is_python(void **state)
{
	static const uint64_t words[] = {METHOD_WORD(0, 3), METHOD_WORD(9, 3)};

	sample(words, 2);
	finish();
	assert_int_equal(call(0, "[python]")->line, 0);
	assert_int_equal(call(1, "[python]")->path, 0);
	assert_int_equal(build.report.unnamed_frames, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(method_has_name_file_and_line, begin, end),
		cmocka_unit_test_setup_teardown(unknown_method_is_python, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
