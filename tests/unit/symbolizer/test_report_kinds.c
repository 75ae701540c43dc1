/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_report_kinds - a report has the samples of each kind with their values
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/output/completeness.h"
#include "symbolizer/output/report_build.h"
#include "tests/unit/symbolizer/make.h"
#include "tests/unit/symbolizer/recording.h"

#define PERIOD_NS  10101010u /* at 99 Hz */
#define BLOCKED_NS 5000000000u

static const uint64_t words[] = {ANON_WORD(0x7f00), VDSO_WORD(0x100)};
static struct recording recording;
static struct name_table names;
static struct report_build build;
static struct ksyms kernel;

/* Symbols of 16 bytes each. */
enum {
	PROGRAM,
	TRACE_RUN,
	SCHEDULE_PART,
	SCHEDULE,
	SCHEDULE_TIMEOUT,
	READ,
	SYMBOLS
};
static const struct {
	struct tm_kernel_table header;
	struct tm_kernel_module module;
	struct tm_kernel_symbol symbols[SYMBOLS];
	char names[96];
} table = {
	{TM_KERNEL_MAGIC, 1, SYMBOLS, 96},
	{1, 0, 0x1000},
	{{0x0, 8, 0}, {0x10, 24, 0}, {0x20, 39, 0}, {0x30, 57, 0}, {0x40, 66, 0}, {0x50, 83, 0}},
	"\0kernel\0bpf_prog_0_hook\0bpf_trace_run1\0__schedule.isra.0\0schedule\0"
	"schedule_timeout\0vfs_read",
};

static uint64_t in(unsigned symbol)
{
	return KERNEL_WORD(0, 16 * symbol + 4) | TM_FRAME_RETURN;
}
static union make_record record;

static int begin(void **state)
{
	assert_int_equal(recording_make(&recording), 0);
	recording.aggregate.period_ns = PERIOD_NS;
	kernel = KSYMS_NULL;
	name_table_init(&names, &recording.strings, &recording.store);
	for (unsigned i = 0; i < 3; i++) {
		make_sample(&record, 1, 42, "c", words, 0, 2);
		assert_int_equal(aggregate_add(&recording.aggregate, &record.sample), 0);
	}
	return 0;
}

static int end(void **state)
{
	report_build_deinit(&build);
	name_table_deinit(&names);
	assert_int_equal(recording_end(&recording), 0);
	return 0;
}

static void block(void)
{
	record.sample.user_stop = TM_STOP_DEPTH;
	make_off_cpu(&record, TM_THREAD_INTERRUPTIBLE, BLOCKED_NS);
	assert_int_equal(aggregate_add(&recording.aggregate, &record.sample), 0);
}

static const struct report *finish(void)
{
	assert_int_equal(name_table_collect(&names, &recording.aggregate), 0);
	name_table_resolve(&names, &recording.files);
	assert_int_equal(report_build_init(&build, &recording.aggregate, &names, &kernel), 0);
	return &build.report;
}

static void on_cpu_is_always_a_kind_of_a_report_and_the_one_that_is_shown(void **state)
{
	const struct report *report = finish();

	assert_int_equal(report->kinds, 1u << TM_SAMPLE_ON_CPU);
	assert_int_equal(report->shown, TM_SAMPLE_ON_CPU);
	assert_int_equal(report->period_ns, PERIOD_NS);
	assert_int_equal(report->sample_count, 1);
	assert_int_equal(report->samples[0].value, 3 * PERIOD_NS);
	report_build_deinit(&build);
	aggregate_deinit(&recording.aggregate);
	assert_int_equal(finish()->kinds, 1u << TM_SAMPLE_ON_CPU);
	assert_int_equal(report->sample_count, 0);
}

static void sample_of_a_lowered_rate_counts_as_those_it_stands_for(void **state)
{
	static char text[COMPLETENESS_BYTES];
	const struct report *report;

	make_sample(&record, 1, 42, "c", words, 0, 2);
	record.sample.value = 4 * PERIOD_NS + PERIOD_NS / 3; /* with what a change has left over */
	assert_int_equal(aggregate_add(&recording.aggregate, &record.sample), 0);
	report = finish();
	assert_int_equal(report->samples[0].count, 4);
	assert_int_equal(report_samples(report, &report->samples[0]), 7);
	assert_int_equal(report_number(report, report->samples[0].value), 7);
	assert_int_equal(report->exported, 4);
	completeness_format(report, text);
	assert_null(strstr(text, "rate lowered"));
	build.report.weight_ns[0] = 5000000000;
	build.report.weight_ns[2] = 1250000000;
	build.report.weight_ns[5] = 1000000000;
	completeness_format(report, text);
	assert_non_null(strstr(text, "; rate lowered for 2.2 s, at most to 1/32; truncated"));
	build.report.thinned = 9;
	completeness_format(report, text);
	assert_non_null(strstr(text, "; hits thinned 9 (owners beyond their share of time); "));
}

static void a_report_has_the_sums_of_each_kind(void **state)
{
	const struct report *report;

	block();
	report = finish();
	assert_int_equal(report->kinds, 1u << TM_SAMPLE_ON_CPU | 1u << TM_SAMPLE_OFF_CPU);
	assert_int_equal(report->sums[TM_SAMPLE_ON_CPU].count, 3);
	assert_int_equal(report->sums[TM_SAMPLE_ON_CPU].value, 3 * PERIOD_NS);
	assert_int_equal(report->sums[TM_SAMPLE_OFF_CPU].count, 1);
	assert_int_equal(report->sums[TM_SAMPLE_OFF_CPU].value, BLOCKED_NS);
	assert_int_equal(report->sample_count, 2);
	for (uint32_t i = 0; i < report->sample_count; i++)
		assert_int_equal(report->samples[i].value,
				 report->sums[report->samples[i].kind].value);
}

static const char *name_at(const struct report *report, uint32_t stack, uint32_t at)
{
	const struct report_frame *frame =
		&report->frames[report->stack_frames[report->stacks[stack].first + at]];

	return report->strings[report_outermost(report, frame)->name];
}

static uint32_t stack_of_kind(const struct report *report, enum tm_sample_kind kind)
{
	uint32_t i = 0;

	while (report->samples[i].kind != kind)
		i++;
	return report->samples[i].stack;
}

static void use_kernel(void)
{
	aggregate_deinit(&recording.aggregate);
	assert_int_equal(ksyms_parse(&kernel, &table, sizeof(table)), 0);
}

static void add(const uint64_t *frames, uint16_t kernel_frames, bool off_cpu)
{
	make_sample(&record, 1, 42, "c", frames, kernel_frames, 0);
	if (off_cpu)
		make_off_cpu(&record, TM_THREAD_IO_WAIT, BLOCKED_NS);
	assert_int_equal(aggregate_add(&recording.aggregate, &record.sample), 0);
}

static void an_off_cpu_stack_begins_above_the_scheduler(void **state)
{
	const uint64_t frames[] = {in(PROGRAM), in(TRACE_RUN), in(SCHEDULE_PART), in(SCHEDULE),
				   in(READ)};
	const struct report *report;
	uint32_t stack;

	use_kernel();
	add(frames, 5, true);
	report = finish();
	stack = stack_of_kind(report, TM_SAMPLE_OFF_CPU);
	assert_int_equal(report->samples[0].state, TM_THREAD_IO_WAIT);
	assert_int_equal(report->stacks[stack].count, 2);
	assert_string_equal(name_at(report, stack, 0), "schedule");
	assert_string_equal(name_at(report, stack, 1), "vfs_read");
	assert_int_equal(report->frame_count, 2); /* of what is not shown there is no frame */
	assert_int_equal(report->stack_frame_count, 2);
}

static void a_stack_of_both_kinds_keeps_its_leaf_on_cpu(void **state)
{
	const uint64_t frames[] = {in(PROGRAM), in(SCHEDULE_PART), in(SCHEDULE)};
	const struct report *report;

	use_kernel();
	add(frames, 3, true);
	add(frames, 3, false);
	report = finish();
	assert_int_equal(report->stack_count, 2);
	assert_int_equal(report->stacks[stack_of_kind(report, TM_SAMPLE_ON_CPU)].count, 3);
	assert_int_equal(report->stacks[stack_of_kind(report, TM_SAMPLE_OFF_CPU)].count, 1);
	assert_string_equal(name_at(report, stack_of_kind(report, TM_SAMPLE_OFF_CPU), 0),
			    "schedule");
	assert_int_equal(report->frames_shown, 3);
	assert_int_equal(report->stack_frame_count, 3);
}

static void without_the_scheduler_near_its_leaf_a_stack_is_shown_whole(void **state)
{
	uint64_t frames[REPORT_STACKS_HOOK_MAX + 1];
	const struct report *report;

	use_kernel();
	for (unsigned i = 0; i < REPORT_STACKS_HOOK_MAX; i++)
		frames[i] = in(TRACE_RUN);
	frames[REPORT_STACKS_HOOK_MAX] = in(SCHEDULE_PART);
	add(frames, REPORT_STACKS_HOOK_MAX + 1, true);
	report = finish();
	assert_int_equal(report->stacks[0].count, REPORT_STACKS_HOOK_MAX + 1);
	report_build_deinit(&build);
	name_table_clear(&names);
	aggregate_deinit(&recording.aggregate);
	add(frames + 1, REPORT_STACKS_HOOK_MAX, true); /* its last frame is the scheduler's */
	report = finish();
	assert_int_equal(report->stacks[0].count, 0);
}

static void completeness_tells_the_time_of_off_cpu_samples(void **state)
{
	char text[COMPLETENESS_BYTES];
	const struct report *report;

	block();
	report = finish();
	build.report.off_cpu = (struct report_off_cpu){
		.taken = 3,
		.taken_ns = 7 * BLOCKED_NS,
		.exported = 1,
		.exported_ns = BLOCKED_NS,
		.drops = {[TM_DROP_RING_FULL] = 2},
		.drops_ns = {[TM_DROP_RING_FULL] = 6 * BLOCKED_NS},
		.truncated = {[TM_STOP_DEPTH] = 1},
		.times = 90,
		.times_ns = 2 * BLOCKED_NS,
		.untracked = 4,
		.unseen_ns = 250000000,
		.in_progress = 2,
		.in_progress_ns = 1500000000,
	};
	completeness_format(report, text);
	assert_non_null(strstr(text,
			       ". off-CPU: taken 3 (35.000 s) = exported 1 (5.000 s) + dropped 2 "
			       "(30.000 s) (ring_full 2 30.000 s); observed 10.000 s in 90 times, "
			       "exported 50.0 %; in progress 2 (1.500 s); untracked 4; "
			       "waking not seen 0.250 s; truncated 1 (depth 1)"));
	build.report.kinds = 1u << TM_SAMPLE_ON_CPU;
	completeness_format(report, text);
	assert_null(strstr(text, "off-CPU"));
}

static void completeness_is_that_of_on_cpu_samples(void **state)
{
	const struct report *report;

	block();
	report = finish();
	assert_int_equal(report->exported, 3);
	assert_int_equal(report->frames_shown, 6);
	assert_int_equal(report->truncated[TM_STOP_DEPTH], 0);
	assert_int_equal(report->off_cpu.truncated[TM_STOP_DEPTH], 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(on_cpu_is_always_a_kind_of_a_report_and_the_one_that_is_shown),
		TEST(sample_of_a_lowered_rate_counts_as_those_it_stands_for),
		TEST(a_report_has_the_sums_of_each_kind),
		TEST(an_off_cpu_stack_begins_above_the_scheduler),
		TEST(a_stack_of_both_kinds_keeps_its_leaf_on_cpu),
		TEST(without_the_scheduler_near_its_leaf_a_stack_is_shown_whole),
		TEST(completeness_tells_the_time_of_off_cpu_samples),
		TEST(completeness_is_that_of_on_cpu_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
