/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_report_build - builds a report: frames as they are shown, counts, and the top functions
 */

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/output/functions.h"
#include "symbolizer/output/report_build.h"
#include "tests/unit/symbolizer/make.h"
#include "tests/unit/symbolizer/recording.h"

#define PERIOD_NS 10101010u /* at 99 Hz */

static struct recording recording;
static struct name_table names;
static struct report_build build;
static struct ksyms kernel;
static union make_record record;

struct table {
	struct tm_kernel_table header;
	struct tm_kernel_module modules[2];
	struct tm_kernel_symbol symbols[2];
	char names[24];
};

static const struct table table = {
	{TM_KERNEL_MAGIC, 2, 2, 24},
	{{1, 0, 0x3000}, {8, 1, 0x100}},
	{{0x10, 13, 0}, {0x8, 19, 1}},
	"\0kernel\0ext4\0entry\0map",
};

static int begin(void **state)
{
	assert_int_equal(recording_make(&recording), 0);
	recording.aggregate.period_ns = PERIOD_NS;
	assert_int_equal(ksyms_parse(&kernel, &table, sizeof(table)), 0);
	name_table_init(&names, &recording.strings, &recording.store);
	make_file(&record, 1, 11, "prog\0bin\0", 9);
	assert_int_equal(files_announce(&recording.files, &record.file), 0);
	return 0;
}

static int end(void **state)
{
	report_build_deinit(&build);
	name_table_deinit(&names);
	assert_int_equal(recording_end(&recording), 0);
	return 0;
}

static void sample(const uint64_t *words, uint16_t kernel_frames, uint16_t user_frames,
		   enum tm_stop stop)
{
	make_sample(&record, 1, 42, "c", words, kernel_frames, user_frames);
	record.sample.user_stop = (uint8_t)stop;
	assert_int_equal(aggregate_add(&recording.aggregate, &record.sample), 0);
}

static const struct parser_symbol_table header = {.segment_count = 4};
static const struct parser_segment segments[] = {
	{.offset = 0, .vaddr = 0x1000, .bytes = 0x100},
	{.offset = 0x100, .vaddr = 0x1100, .bytes = 0x10, .flags = SYMBOL_TABLE_EXECUTABLE},
	{.offset = 0x300, .vaddr = 0x5000, .bytes = 0x100},
	{.offset = 0x400, .vaddr = 0x9000, .bytes = 0x100, .flags = SYMBOL_TABLE_EXECUTABLE},
};
static const struct symbol_table symbols = {
	.region = TM_REGION_NULL,
	.header = &header,
	.segments = segments,
};

/* As if the parser had answered: each file has these segments, and [0x100, 0x110) is main. */
static void finish(void)
{
	assert_int_equal(name_table_collect(&names, &recording.aggregate), 0);
	name_table_resolve(&names, &recording.files);
	for (uint32_t i = 0; i < names.file_count; i++)
		names.files[i].pin.table = symbols;
	for (uint32_t i = 0; i < names.place_count; i++) {
		uint64_t offset = names.places[i].key & TM_FRAME_OFFSET_MAX;

		if (offset < 0x100 || offset >= 0x110)
			continue;
		assert_int_equal(strings_add(&recording.strings, "main", 4, &names.places[i].name),
				 0);
	}
	assert_int_equal(report_build_init(&build, &recording.aggregate, &names, &kernel), 0);
}

static const struct report_frame *shown(uint32_t place, const char *name)
{
	const struct report *report = &build.report;
	const struct report_frame *frame = &report->frames[report->stack_frames[place]];

	assert_string_equal(report->strings[report_outermost(report, frame)->name], name);
	return frame;
}

static void sampled_files_that_were_not_opened_are_counted_by_reason(void **state)
{
	uint64_t words[] = {FILE_WORD(1, 0x100), FILE_WORD(3, 0x10), FILE_WORD(1, 0x200)};

	make_file(&record, 3, 13, "gone\0bin\0", 9);
	assert_int_equal(files_announce(&recording.files, &record.file), 0);
	make_file(&record, 4, 14, "idle\0bin\0", 9); /* not sampled, so not counted */
	assert_int_equal(files_announce(&recording.files, &record.file), 0);
	files_refused(&recording.files, 3, TM_NO_FILE_GONE);
	sample(words, 0, 3, TM_STOP_NONE);
	finish();
	assert_int_equal(build.report.unopened[TM_NO_FILE_UNANSWERED], 1);
	assert_int_equal(build.report.unopened[TM_NO_FILE_GONE], 1);
	report_build_deinit(&build);
	name_table_deinit(&names);
	name_table_init(&names, &recording.strings, &recording.store);
	files_opened(&recording.files, 1, 0, open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
	finish();
	assert_int_equal(build.report.unopened[TM_NO_FILE_UNANSWERED], 0);
	assert_int_equal(build.report.unopened[TM_NO_FILE_GONE], 1);
}

static void frames_are_shown_by_kind(void **state)
{
	uint64_t words[] = {KERNEL_WORD(0, 0x12),
			    KERNEL_WORD(1, 0x8) | TM_FRAME_RETURN,
			    KERNEL_WORD(1, 0x9) | TM_FRAME_RETURN,
			    KERNEL_WORD(TM_FRAME_MODULE_UNKNOWN, 0),
			    FILE_WORD(1, 0x100),
			    FILE_WORD(1, 0x200),
			    FILE_WORD(2, 0x300),
			    VDSO_WORD(0x50),
			    ANON_WORD(0x7f00),
			    UNRESOLVED_WORD(TM_UNRESOLVED_MAPPING_BUSY)};

	sample(words, 4, 6, TM_STOP_NONE);
	finish();
	assert_int_equal(shown(0, "entry")->kind, REPORT_KERNEL);
	assert_true(shown(1, "[ext4]+0x8")->unnamed);
	assert_int_equal(shown(2, "map")->unnamed, 0);
	assert_true(shown(3, "[kernel]")->unnamed);
	assert_int_equal(shown(4, "main")->address, 0x1100);
	assert_int_equal(shown(5, "prog+0x200")->address, 0x200);
	assert_int_equal(shown(6, "[unknown file]+0x300")->file, REPORT_NO_FILE);
	assert_int_equal(shown(7, "[vdso]+0x50")->kind, REPORT_NATIVE);
	assert_true(shown(8, "[anon]")->unnamed);
	assert_int_equal(shown(9, "[mapping_busy]")->kind, REPORT_UNRESOLVED);
	assert_int_equal(build.report.frames_shown, 10);
	assert_int_equal(build.report.unnamed_frames, 7);
	assert_int_equal(build.report.unnamed[TM_UNNAMED_KERNEL], 2);
	assert_int_equal(build.report.unnamed[TM_UNNAMED_NOT_OPENED], 2);
	assert_int_equal(build.report.unnamed[TM_UNNAMED_PENDING], 1); /* the vDSO's */
	assert_int_equal(build.report.unnamed[TM_UNNAMED_ANONYMOUS], 1);
	assert_int_equal(build.report.unnamed[TM_UNNAMED_NO_MAPPING], 1);
	assert_int_equal(build.report.unresolved[TM_UNRESOLVED_MAPPING_BUSY], 1);
}

static void a_callers_address_lies_inside_its_call_and_its_own_is_shown(void **state)
{
	uint64_t words[] = {FILE_WORD(1, 0x110) | TM_FRAME_RETURN, FILE_WORD(1, 0x110),
			    FILE_WORD(1, 0x100) | TM_FRAME_RETURN,
			    KERNEL_WORD(0, 0x12) | TM_FRAME_RETURN};

	sample(words + 3, 1, 0, TM_STOP_NONE);
	sample(words, 0, 3, TM_STOP_NONE);
	finish();
	assert_int_equal(shown(0, "entry")->address, 0x11);
	assert_int_equal(shown(1, "main")->address, 0x110f);
	assert_true(shown(1, "main")->is_return);
	assert_int_equal(shown(2, "prog+0x110")->address, 0x110);
	assert_false(shown(2, "prog+0x110")->is_return);
	assert_int_equal(shown(3, "prog+0x100")->address, 0xff);
}

static void a_return_address_and_an_exact_pc_at_one_place_are_two_frames(void **state)
{
	uint64_t words[] = {FILE_WORD(1, 0x108) | TM_FRAME_RETURN, FILE_WORD(1, 0x108)};

	sample(words, 0, 2, TM_STOP_NONE);
	sample(words + 1, 0, 1, TM_STOP_NONE);
	finish();
	assert_int_equal(build.report.frame_count, 2);
	assert_int_equal(shown(0, "main")->address, 0x1107);
	assert_int_equal(shown(1, "main")->address, 0x1108);
	assert_ptr_equal(shown(1, "main"), shown(2, "main"));
}

static void a_frame_lies_in_the_executable_segment_that_holds_its_call(void **state)
{
	static const struct {
		uint64_t word, address;
		uint32_t segment;
	} frames[] = {
		{FILE_WORD(1, 0x100), 0x1100, 0},
		{FILE_WORD(1, 0x110) | TM_FRAME_RETURN, 0x110f, 0},
		{FILE_WORD(1, 0x110), 0x110, REPORT_NO_SEGMENT},
		{FILE_WORD(1, 0x400), 0x9000, 1},
		{FILE_WORD(1, 0x4ff), 0x90ff, 1},
		{FILE_WORD(1, 0x500) | TM_FRAME_RETURN, 0x90ff, 1},
		{FILE_WORD(1, 0x500), 0x500, REPORT_NO_SEGMENT},
		{FILE_WORD(1, 0x300), 0x300, REPORT_NO_SEGMENT}, /* not executable */
	};
	const struct report *report = &build.report;
	const struct report_file *file = NULL;
	uint64_t words[8];

	for (unsigned i = 0; i < 8; i++)
		words[i] = frames[i].word;
	sample(words, 0, 8, TM_STOP_NONE);
	finish();
	assert_int_equal(report->file_count, 1);
	file = &report->files[0];
	assert_int_equal(file->segment_count, 2);
	assert_int_equal(report->segment_count, 2);
	for (unsigned i = 0; i < 8; i++) {
		const struct report_frame *frame = &report->frames[report->stack_frames[i]];

		assert_int_equal(frame->address, frames[i].address);
		assert_int_equal(frame->segment, frames[i].segment);
	}
}

/* Each frame has one call of its own, which bears the name as it is in the symbol table. */
static void a_frame_without_inlined_calls_has_one_call(void **state)
{
	uint64_t words[] = {FILE_WORD(1, 0x100), FILE_WORD(1, 0x200), ANON_WORD(7),
			    UNRESOLVED_WORD(TM_UNRESOLVED_OFFSET)};
	const struct report *report = &build.report;

	sample(words, 0, 4, TM_STOP_NONE);
	finish();
	assert_int_equal(report->call_count, 4);
	for (uint32_t i = 0; i < report->frame_count; i++) {
		const struct report_call *call = report_outermost(report, &report->frames[i]);

		assert_int_equal(report->frames[i].call_count, 1);
		assert_int_equal(report->frames[i].first_call, i);
		assert_int_equal(call->system_name, call->name);
		assert_int_equal(call->path + call->line + call->start_line, 0);
	}
}

static void an_anonymous_address_of_two_processes_is_two_frames(void **state)
{
	uint64_t words[] = {ANON_WORD(0x7f00), FILE_WORD(1, 0x100)};
	const struct report *report = &build.report;

	sample(words, 0, 2, TM_STOP_NONE);
	sample(words, 0, 2, TM_STOP_NONE);
	make_sample(&record, 1, 43, "d", words, 0, 2);
	assert_int_equal(aggregate_add(&recording.aggregate, &record.sample), 0);
	record.sample.event.exec_id++; /* the same pid, another program */
	assert_int_equal(aggregate_add(&recording.aggregate, &record.sample), 0);
	finish();
	assert_int_equal(report->stack_count, 3);
	assert_int_equal(report->frame_count, 4); /* main is one and the same */
	for (uint32_t i = 0; i < report->sample_count; i++) {
		const struct report_sample *of = &report->samples[i];
		const struct report_stack *stack = &report->stacks[of->stack];
		const struct report_frame *frame = shown(stack->first, "[anon]");

		assert_int_equal(frame->address, 0x7f00);
		assert_int_equal(frame->process, of->process);
		assert_int_equal(shown(stack->first + 1, "main")->process, REPORT_NO_PROCESS);
	}
}

static void stacks_without_anonymous_frames_are_shared_by_processes(void **state)
{
	uint64_t words[] = {FILE_WORD(1, 0x100)};

	sample(words, 0, 1, TM_STOP_NONE);
	make_sample(&record, 1, 43, "d", words, 0, 1);
	assert_int_equal(aggregate_add(&recording.aggregate, &record.sample), 0);
	assert_int_equal(recording.aggregate.stack_count, 1);
}

static void truncated_counts_are_those_of_the_samples(void **state)
{
	uint64_t words[] = {FILE_WORD(1, 0x100)};
	uint64_t flagged[TM_STOP_N] = {0};
	const struct report *report = &build.report;

	for (unsigned stop = 0; stop < TM_STOP_N; stop++)
		for (unsigned i = 0; i <= stop; i++)
			sample(words, 0, i % 2, (enum tm_stop)stop);
	finish();
	for (uint32_t i = 0; i < report->sample_count; i++)
		flagged[report->samples[i].stop] += report->samples[i].count;
	assert_int_equal(report->truncated[TM_STOP_NONE], 0);
	for (unsigned stop = TM_STOP_NONE + 1; stop < TM_STOP_N; stop++) {
		assert_int_equal(flagged[stop], stop + 1);
		assert_int_equal(report->truncated[stop], stop + 1);
	}
	assert_int_equal(report->exported, TM_STOP_N * (TM_STOP_N + 1) / 2);
}

static void only_sampled_generations_are_listed(void **state)
{
	uint64_t words[] = {ANON_WORD(1)};

	make_process(&record, 7, "idle", 1, "prog\0", 5, "", 0);
	assert_int_equal(process_announce(&recording.processes, &record.process), 0);
	make_process(&record, 42, "busy", 1, "prog\0bin\0", 9, "", 0);
	assert_int_equal(process_announce(&recording.processes, &record.process), 0);
	sample(words, 0, 1, TM_STOP_NONE);
	finish();
	assert_int_equal(build.report.process_count, 1);
	assert_int_equal(build.report.processes[0].tgid, 42);
	assert_string_equal(build.report.strings[build.report.processes[0].exe], "/bin/prog");
	assert_int_equal(build.report.samples[0].process, 0);
}

static void spent_budget_shows_memory_and_loses_no_sample(void **state)
{
	for (uint32_t i = 0; i < 2000; i++) {
		uint64_t words[] = {FILE_WORD(1, 0x1000 + 16 * i)};

		sample(words, 0, 1, TM_STOP_NONE);
	}
	recording.budget.limit = recording.budget.used + (32u << 10);
	assert_int_equal(report_build_init(&build, &recording.aggregate, &names, &kernel), 0);
	assert_int_equal(build.report.exported, 2000);
	assert_int_equal(build.report.stack_frame_count, 2000);
	(void)shown(1999, "[memory]");
}

static void recursion_counts_once_in_total(void **state)
{
	uint64_t deep[] = {FILE_WORD(1, 0x100), FILE_WORD(1, 0x104), FILE_WORD(1, 0x300)};
	uint64_t other[] = {FILE_WORD(1, 0x300), FILE_WORD(1, 0x100)};
	struct tm_top rows[TM_TOP_ROWS];

	for (int i = 0; i < 3; i++)
		sample(deep, 0, 3, TM_STOP_NONE);
	for (int i = 0; i < 2; i++)
		sample(other, 0, 2, TM_STOP_NONE);
	finish();
	assert_int_equal(functions_top(&build.report, rows), 2);
	assert_string_equal(rows[0].name, "main");
	assert_string_equal(rows[0].file, "prog");
	assert_int_equal(rows[0].self, 3);
	assert_int_equal(rows[0].total, 5);
	assert_string_equal(rows[1].name, "prog+0x300");
	assert_int_equal(rows[1].self, 2);
	assert_int_equal(rows[1].total, 5);
}

#define with_world(test) cmocka_unit_test_setup_teardown(test, begin, end)

/* As merging leaves it. */
static void merged_frames_are_shown_as_one_and_counted_as_samples(void **state)
{
	const uint64_t words[] = {VDSO_WORD(0x200), KERNEL_WORD(0, 0x10)};
	uint64_t *frames;

	sample(words + 1, 1, 0, TM_STOP_NONE);
	sample(words, 0, 1, TM_STOP_NONE);
	sample(words, 0, 1, TM_STOP_NONE);
	frames = (uint64_t *)(uintptr_t)recording.aggregate.stacks[1].frames;
	frames[0] = AGGREGATE_MERGED;
	finish();
	assert_true(shown(1, "[merged]")->unnamed);
	assert_int_equal(build.report.merged, 2);
	assert_int_equal(build.report.frames_shown, 1);
	assert_int_equal(build.report.unnamed_frames, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_world(sampled_files_that_were_not_opened_are_counted_by_reason),
		with_world(frames_are_shown_by_kind),
		with_world(a_callers_address_lies_inside_its_call_and_its_own_is_shown),
		with_world(a_return_address_and_an_exact_pc_at_one_place_are_two_frames),
		with_world(a_frame_lies_in_the_executable_segment_that_holds_its_call),
		with_world(a_frame_without_inlined_calls_has_one_call),
		with_world(an_anonymous_address_of_two_processes_is_two_frames),
		with_world(stacks_without_anonymous_frames_are_shared_by_processes),
		with_world(truncated_counts_are_those_of_the_samples),
		with_world(only_sampled_generations_are_listed),
		with_world(merged_frames_are_shown_as_one_and_counted_as_samples),
		with_world(spent_budget_shows_memory_and_loses_no_sample),
		with_world(recursion_counts_once_in_total),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
