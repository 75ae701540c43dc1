/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_otlp_reader - reports that became OTLP requests are read back and add up
 */

#include "tests/unit/viewer/reading.h"

static void assert_is(const struct report *wanted)
{
	struct request_rows rows, found;

	request_describe(&rows, wanted);
	request_describe(&found, &reading.report);
	request_assert_same(&rows, &found);
	request_rows_free(&rows);
	request_rows_free(&found);
	assert_int_equal(reading.report.period_ns, wanted->period_ns);
	assert_int_equal(reading.report.kinds, wanted->kinds);
	for (unsigned kind = 0; kind < TM_SAMPLE_KINDS_N; kind++) {
		assert_int_equal(reading.report.sums[kind].count, wanted->sums[kind].count);
		assert_int_equal(reading.report.sums[kind].value, wanted->sums[kind].value);
	}
}

static void assert_counts(const struct report *wanted, uint64_t times)
{
	const struct report *found = &reading.report;

	assert_int_equal(found->hz, wanted->hz);
	assert_int_equal(found->taken, times * wanted->taken);
	assert_int_equal(found->exported, times * wanted->exported);
	assert_int_equal(found->not_run, times * wanted->not_run);
	assert_int_equal(found->drops[TM_DROP_RING_FULL], times * 5);
	assert_int_equal(found->frames_shown, times * wanted->frames_shown);
	assert_int_equal(found->off_cpu.times_ns, times * wanted->off_cpu.times_ns);
	for (unsigned i = 0; i < TM_STOP_N; i++)
		assert_int_equal(found->truncated[i], times * wanted->truncated[i]);
}

static const char *const cases[] = {"tiny",  "truncated", "inlined",   "runtimes", "deep",
				    "kinds", "threads",   "resources", "large"};

static void a_request_is_read_back_as_its_report(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct report *report = build(cases[i]);

		request_make(&request, report, UINT64_MAX);
		begin(&everything);
		read_part(0);
		finish();
		assert_is(report);
		assert_counts(report, 1);
		assert_int_equal(reading.report.start_unix_ns, START_NS);
		assert_int_equal(reading.report.duration_ns, DURATION_NS);
		end();
		request_free(&request);
		report_builder_deinit(&builder);
	}
}

/* A resource of many processes says nothing of one: each sample does. */
static void processes_are_known_apart_however_resources_are_grouped(void **state)
{
	static const enum report_grouping groupings[] = {REPORT_BY_PROCESS, REPORT_BY_CONTAINER,
							 REPORT_BY_SERVICE};

	for (size_t i = 0; i < sizeof(groupings) / sizeof(groupings[0]); i++) {
		const struct report_resource resource = {.service_name = "",
							 .grouping = groupings[i]};
		struct report *report = build("resources");

		report->resource = &resource;
		request_make(&request, report, UINT64_MAX);
		begin(&everything);
		read_part(0);
		finish();
		assert_is(report);
		end();
		request_free(&request);
		report_builder_deinit(&builder);
	}
}

static void parts_in_any_order_are_one_report_whose_counts_are_added_once(void **state)
{
	struct report *report = build("kinds");

	request_make(&request, report, 1);
	assert_true(request.count > 2);
	begin(&everything);
	for (size_t i = request.count; i-- > 0;)
		read_part(i);
	finish();
	assert_is(report);
	assert_counts(report, 1);
	assert_int_equal(reading.reader.counts[0].reports, 1);
	end();
	request_free(&request);
	report_builder_deinit(&builder);
}

/* Doubles what the samples of a built report stand for. */
static void double_samples(struct report *report)
{
	struct report_sample *samples = (struct report_sample *)(uintptr_t)report->samples;

	for (uint32_t i = 0; i < report->sample_count; i++) {
		samples[i].count *= 2;
		samples[i].value *= 2;
	}
	for (unsigned kind = 0; kind < TM_SAMPLE_KINDS_N; kind++) {
		report->sums[kind].count *= 2;
		report->sums[kind].value *= 2;
	}
}

static void equal_samples_of_two_reports_add_up(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct report *report = build(cases[i]);

		begin(&everything);
		for (unsigned time = 0; time < 2; time++) {
			report->start_unix_ns = START_NS + time * DURATION_NS;
			request_make(&request, report, UINT64_MAX);
			read_part(0);
			request_free(&request);
		}
		finish();
		assert_counts(report, 2);
		assert_int_equal(reading.report.start_unix_ns, START_NS);
		assert_int_equal(reading.report.duration_ns, 2 * DURATION_NS);
		double_samples(report);
		assert_is(report);
		end();
		report_builder_deinit(&builder);
	}
}

static void a_profile_that_is_there_twice_counts_once(void **state)
{
	struct report *report = build("kinds");

	request_make(&request, report, UINT64_MAX);
	begin(&everything);
	read_part(0);
	read_part(0);
	finish();
	assert_is(report);
	assert_counts(report, 1);
	assert_true(reading.reader.counts[0].again > 0);
	end();
	request_free(&request);
	report_builder_deinit(&builder);
}

static void weights_flags_wakers_and_kinds_of_frames_survive(void **state)
{
	struct report *report = build("kinds");
	struct report_sample *samples = (struct report_sample *)(uintptr_t)report->samples;
	struct report_frame *frames = (struct report_frame *)(uintptr_t)report->frames;
	struct report_process *processes = (struct report_process *)(uintptr_t)report->processes;

	for (uint32_t i = 0; i < report->sample_count; i++) {
		samples[i].value += 12345 + i;
		samples[i].count += i;
		samples[i].flags = i % 2 ? TM_FLAG_EXITING : TM_FLAG_KTHREAD;
		samples[i].woken = samples[i].kind == TM_SAMPLE_OFF_CPU;
		report->sums[samples[i].kind].value += 12345 + i;
		report->sums[samples[i].kind].count += i;
	}
	for (uint32_t i = 0; i < report->frame_count; i++) {
		frames[i].kind = (uint8_t)(i % (REPORT_UNRESOLVED + 1));
		frames[i].unnamed = i % 3 == 0;
		frames[i].is_return = i % 2 == 0;
	}
	processes[0].ns_tgid = 1;
	request_make(&request, report, UINT64_MAX);
	begin(&everything);
	read_part(0);
	finish();
	assert_is(report);
	end();
	request_free(&request);
	report_builder_deinit(&builder);
}

static void reports_outside_of_the_window_are_passed_over(void **state)
{
	static const struct {
		uint64_t from, to;
		bool inside;
	} windows[] = {
		{START_NS - 10, START_NS, false},
		{START_NS - 10, START_NS + 1, true},
		{START_NS + DURATION_NS - 1, UINT64_MAX, true},
		{START_NS + DURATION_NS, UINT64_MAX, false},
		{START_NS + 1, START_NS + 2, true},
	};
	struct report *report = build("tiny");

	request_make(&request, report, UINT64_MAX);
	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {

		begin(&everything);
		reading.reader.window = (struct selection_window){windows[i].from, windows[i].to};
		read_part(0);
		assert_int_equal(reading.reader.counts[0].reports, windows[i].inside);
		assert_int_equal(reading.merge.samples.count > 0, windows[i].inside);
		end();
	}
	request_free(&request);
	report_builder_deinit(&builder);
}

static void a_selection_leaves_other_samples_out_and_counts_all(void **state)
{
	static const struct selection thread = {.comms = {{"tiny-worker"}, 1}};
	struct report *report = build("tiny");

	request_make(&request, report, UINT64_MAX);
	begin(&thread);
	read_part(0);
	finish();
	assert_int_equal(reading.report.sums[0].count, 500);
	for (uint32_t i = 0; i < reading.report.sample_count; i++)
		assert_int_equal(reading.report.samples[i].tid, 101);
	assert_int_equal(reading.reader.counts[0].read[0].count, 1000);
	assert_counts(report, 1);
	end();
	request_free(&request);
	report_builder_deinit(&builder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_is_read_back_as_its_report),
		cmocka_unit_test(processes_are_known_apart_however_resources_are_grouped),
		cmocka_unit_test(parts_in_any_order_are_one_report_whose_counts_are_added_once),
		cmocka_unit_test(equal_samples_of_two_reports_add_up),
		cmocka_unit_test(a_profile_that_is_there_twice_counts_once),
		cmocka_unit_test(weights_flags_wakers_and_kinds_of_frames_survive),
		cmocka_unit_test(reports_outside_of_the_window_are_passed_over),
		cmocka_unit_test(a_selection_leaves_other_samples_out_and_counts_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
