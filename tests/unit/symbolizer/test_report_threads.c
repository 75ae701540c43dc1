/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_report_threads - a report's threads are those of the interval, also of unsampled processes
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "symbolizer/output/report_build.h"
#include "symbolizer/output/report_threads.h"
#include "tests/unit/symbolizer/make.h"
#include "tests/unit/symbolizer/recording.h"

static struct recording recording;
static struct thread_rows rows;
static struct name_table names;
static struct ksyms kernel;
static struct report_build build;
static union make_record record;

static int begin(void **state)
{
	assert_int_equal(recording_make(&recording), 0);
	thread_rows_init(&rows, &recording.budget);
	name_table_init(&names, &recording.strings, &recording.store);
	kernel = KSYMS_NULL;
	return 0;
}

static int end(void **state)
{
	report_build_deinit(&build);
	name_table_deinit(&names);
	thread_rows_deinit(&rows);
	assert_int_equal(recording_end(&recording), 0);
	return 0;
}

static void add_row(uint32_t tid, uint64_t on_cpu)
{
	const struct thread_times times = {.lifetime_ns = 100, .ns = {[TM_THREAD_ON_CPU] = on_cpu}};

	make_thread(&record, 500, tid, "worker", TM_THREAD_ON_CPU, 400, NULL, 0);
	assert_true(thread_rows_add(&rows, &recording.aggregate, &record.event, "worker",
				    /* ended= */ false, &times) > 0);
}

static const struct report *finish(void)
{
	assert_int_equal(report_build_init(&build, &recording.aggregate, &names, &kernel), 0);
	assert_int_equal(report_build_threads(&build, &rows), 0);
	return &build.report;
}

static void thread_without_a_sample_has_its_process_in_the_report(void **state)
{
	const uint64_t word = VDSO_WORD(1);
	const struct report *report;

	add_row(7, 30);
	make_sample(&record, 500, 8, "sampled", &word, 0, 1);
	assert_int_equal(aggregate_add(&recording.aggregate, &record.sample), 0);
	add_row(8, 40);
	report = finish();
	assert_int_equal(report->process_count, 2);
	assert_int_equal(report->thread_count, 2);
	for (uint32_t i = 0; i < 2; i++) {
		const struct report_thread *thread = &report->threads[i];

		assert_int_equal(report->processes[thread->process].tgid, thread->tid);
		assert_string_equal(report->strings[thread->comm], "worker");
		assert_int_equal(thread->lifetime_ns, 100);
		assert_int_equal(thread->ns[TM_THREAD_ON_CPU], 30 + 10 * i);
		assert_int_equal(thread->threads, 1);
	}
}

static void the_others_have_the_last_row_and_no_process(void **state)
{
	const struct report *report;

	add_row(7, 30);
	rows.other.threads = 5;
	rows.other.times.lifetime_ns = 600;
	report = finish();
	assert_int_equal(report->thread_count, 2);
	assert_int_equal(report->threads[1].process, REPORT_NO_PROCESS);
	assert_int_equal(report->threads[1].threads, 5);
	assert_int_equal(report->threads[1].lifetime_ns, 600);
	assert_int_equal(report_threads_need(&rows), 2 * sizeof(*report->threads));
}

static void interval_without_threads_has_no_rows(void **state)
{
	assert_int_equal(finish()->thread_count, 0);
}

#define each(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		each(thread_without_a_sample_has_its_process_in_the_report),
		each(the_others_have_the_last_row_and_no_process),
		each(interval_without_threads_has_no_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
