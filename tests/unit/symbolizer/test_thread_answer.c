/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_thread_answer - how threads spent an interval: the differences of their times, never twice
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "shared/region.h"
#include "symbolizer/profile/thread_answer.h"
#include "tests/unit/symbolizer/make.h"
#include "tests/unit/symbolizer/recording.h"

#define NOW 1000000

static struct recording recording;
static struct threads threads;
static struct thread_rows rows;
static struct sample_sum sum;
static union make_record record;
static uint8_t bytes[4 << 20];
static size_t used;

static int begin(void **state)
{
	assert_int_equal(recording_make(&recording), 0);
	threads_init(&threads, &recording.seed);
	threads.budget.limit = RECORDING_BYTES;
	thread_rows_init(&rows, &recording.budget);
	sum = (struct sample_sum){0};
	used = 0;
	return 0;
}

static int end(void **state)
{
	thread_rows_deinit(&rows);
	threads_deinit(&threads);
	assert_int_equal(threads.budget.used, 0);
	assert_int_equal(recording_end(&recording), 0);
	return 0;
}

static void next_interval(void)
{
	thread_rows_deinit(&rows);
	thread_rows_init(&rows, &recording.budget);
	threads.interval++;
}

static void add(void)
{
	memcpy(bytes + used, &record, record.event.bytes);
	used += record.event.bytes;
}

/* A thread that runs since @since, was on CPUs for @on_cpu before, and slept for the rest. */
static void make_runner(uint64_t ktime, uint32_t tid, uint64_t since, uint64_t on_cpu)
{
	make_thread(&record, ktime, tid, "runner", TM_THREAD_ON_CPU, since, NULL, 0);
	record.thread.seen = 0;
	record.thread.ns[TM_THREAD_ON_CPU] = on_cpu;
	record.thread.ns[TM_THREAD_INTERRUPTIBLE] = since - on_cpu;
}

static void make_ended(uint64_t ktime, uint32_t tid, uint64_t on_cpu)
{
	make_runner(ktime, tid, ktime, on_cpu);
	record.thread.state = TM_THREAD_STATES_N;
}

static void answer(void)
{
	const struct thread_answer into = {&threads, &rows, &recording.aggregate, &sum, UINT64_MAX};
	int fd = tm_region_seal_blob("threads", bytes, used);
	struct thread_blob blob;

	assert_int_equal(thread_blob_open(&blob, fd, NOW, &threads.budget), 0);
	thread_answer_take(&into, &blob);
	thread_blob_close(&blob);
	(void)close(fd);
	used = 0;
}

/* Of a thread that has none: one without a thread. */
static const struct thread_row *row_of(uint32_t tid)
{
	static const struct thread_row none = {.process = THREAD_ROWS_OTHER};

	for (uint32_t i = 0; i < rows.count; i++)
		if (rows.items[i].tid == tid)
			return &rows.items[i];
	return &none;
}

static void check(uint32_t tid, uint64_t lifetime, uint64_t on_cpu)
{
	const struct thread_row *row = row_of(tid);

	assert_int_equal(row->threads, 1);
	assert_int_equal(row->times.lifetime_ns, lifetime);
	assert_int_equal(row->times.ns[TM_THREAD_ON_CPU], on_cpu);
	assert_int_equal(row->times.ns[TM_THREAD_INTERRUPTIBLE], lifetime - on_cpu);
}

static void a_row_has_what_passed_since_the_last_answer(void **state)
{
	make_runner(1000, 1, 900, 300);
	add();
	answer();
	check(1, 1000, 400);
	assert_string_equal(recording_text(&recording, row_of(1)->comm), "runner");
	assert_int_equal(recording.processes.items[row_of(1)->process].tgid, 1);
	next_interval();
	make_runner(3000, 1, 3000, 500);
	add();
	answer();
	check(1, 2000, 100);
}

static void thread_that_ends_has_its_rest_and_is_forgotten(void **state)
{
	make_runner(1000, 1, 900, 300);
	add();
	answer();
	next_interval();
	make_ended(1500, 1, 450);
	thread_answer_ended(&threads, &rows, &recording.aggregate, &record.thread);
	check(1, 500, 50);
	assert_int_equal(threads.live, 0);
}

static void thread_that_ends_after_the_last_answer_has_one_row(void **state)
{
	make_runner(1000, 1, 900, 300);
	add();
	answer();
	make_ended(1500, 1, 450);
	thread_answer_ended(&threads, &rows, &recording.aggregate, &record.thread);
	assert_int_equal(rows.count, 1);
	check(1, 1500, 450);
}

static void last_record_of_a_thread_without_its_group_is_its_process_one(void **state)
{
	make_runner(900, 1, 900, 0);
	assert_int_equal(process_of_sample(&recording.processes, &record.event, 0, &(uint32_t){0}),
			 0);
	for (uint32_t tid = 1; tid <= 2; tid++) {
		make_ended(1500, tid, 450);
		record.event.tgid = 1;
		record.event.start_boottime = 0;
		thread_answer_ended(&threads, &rows, &recording.aggregate, &record.thread);
		assert_int_equal(row_of(tid)->process, 0);
	}
	assert_int_equal(recording.processes.count, 1);
	make_ended(1500, 9, 450);
	record.event.start_boottime = 0;
	thread_answer_ended(&threads, &rows, &recording.aggregate, &record.thread);
	assert_int_equal(rows.other.threads, 1);
	assert_int_equal(recording.processes.count, 1);
}

static void thread_with_the_tid_of_another_one_begins_anew(void **state)
{
	make_runner(1000, 1, 900, 300);
	add();
	answer();
	next_interval();
	make_runner(3000, 1, 2900, 0);
	record.thread.seen = 2000;
	record.thread.ns[TM_THREAD_INTERRUPTIBLE] = 900;
	add();
	answer();
	check(1, 1000, 100);
}

static void a_second_record_of_a_thread_in_one_answer_is_refused(void **state)
{
	make_runner(1000, 1, 900, 300);
	add();
	make_runner(1100, 1, 900, 300);
	add();
	answer();
	check(1, 1000, 400);
	assert_int_equal(threads.lost.bad, 1);
}

static void thread_that_a_later_answer_lacks_is_forgotten(void **state)
{
	for (uint32_t tid = 1; tid <= 3; tid++) {
		make_runner(1000, tid, 900, 300);
		add();
	}
	answer();
	make_runner(2500, 2, 900, 300); /* named between the reading and the arrival */
	(void)threads_get(&threads, &record.event);
	make_runner(2000, 1, 900, 300);
	add();
	answer();
	assert_int_equal(threads.live, 3); /* their last records may be on their way */
	make_runner(3000, 1, 900, 300);
	add();
	answer();
	assert_int_equal(threads.live, 2);
	make_runner(0, 3, 0, 0);
	assert_null(threads_find(&threads, &record.event));
}

static void thread_that_ended_before_the_answer_that_lacks_it_has_its_rest(void **state)
{
	make_runner(1000, 1, 900, 300);
	add();
	make_runner(1000, 2, 900, 300);
	add();
	answer();
	next_interval();
	make_runner(2000, 1, 900, 300);
	add();
	answer();
	next_interval();
	make_ended(1900, 2, 450);
	thread_answer_ended(&threads, &rows, &recording.aggregate, &record.thread);
	check(2, 900, 50);
	assert_int_equal(threads.lost.unknown, 0);
}

static void time_before_the_interval_that_is_not_known_is_left_out(void **state)
{
	make_runner(1000, 1, 900, 300);
	add();
	answer();
	next_interval();
	make_runner(2000, 2, 1900, 300); /* seen at 0, and the last answer lacks it */
	add();
	make_runner(2000, 1, 1900, 300);
	add();
	answer();
	assert_int_equal(row_of(2)->threads, 0);
	assert_int_equal(threads.lost.unknown, 1);
	next_interval();
	make_runner(3000, 2, 2900, 300);
	add();
	answer();
	check(2, 1000, 0);
}

static void symbolizer_that_resumes_counts_from_its_first_answer_on(void **state)
{
	struct thread_blob blob;
	int fd;

	threads_resume(&threads, 500);
	make_runner(1000, 1, 900, 300);
	add();
	fd = tm_region_seal_blob("threads", bytes, used);
	assert_int_equal(thread_blob_open(&blob, fd, NOW, &threads.budget), 0);
	thread_answer_begin(&threads, &blob);
	thread_blob_close(&blob);
	(void)close(fd);
	assert_int_equal(rows.count, 0);
	used = 0;
	make_runner(2000, 1, 1900, 700);
	add();
	answer();
	check(1, 1000, 400);
}

static void invented_times_do_not_exceed_what_has_passed(void **state)
{
	const struct thread_row *row;
	uint64_t all = 0;

	make_runner(1000, 1, 0, 0);
	for (unsigned i = 0; i < TM_THREAD_STATES_N; i++)
		record.thread.ns[i] = TM_OFF_CPU_VALUE_MAX;
	add();
	answer();
	row = row_of(1);
	for (unsigned i = 0; i < TM_THREAD_STATES_N; i++)
		all += row->times.ns[i];
	assert_int_equal(all, 1000);
	next_interval();
	make_runner(2000, 1, 1500, 100); /* less than before */
	add();
	make_runner(500, 1, 500, 100);
	add();
	answer();
	assert_int_equal(row_of(1)->times.lifetime_ns, 1000);
	assert_int_equal(threads.lost.bad, 1);
}

static uint64_t sum_of_rows(uint32_t *ret_threads)
{
	uint64_t lifetime = rows.other.times.lifetime_ns;

	*ret_threads = rows.other.threads;
	for (uint32_t i = 0; i < rows.count; i++) {
		lifetime += rows.items[i].times.lifetime_ns;
		*ret_threads += rows.items[i].threads;
	}
	return lifetime;
}

static void further_threads_share_the_row_of_their_process(void **state)
{
	uint32_t count;

	for (uint32_t tid = 1; tid <= THREAD_ROWS_MAX + 100; tid++) {
		make_runner(1000, tid, 900, 300);
		record.event.tgid = tid & 1;
		record.event.start_boottime = 77;
		add();
	}
	answer();
	assert_int_equal(rows.count, THREAD_ROWS_MAX + 2);
	assert_int_equal(rows.items[THREAD_ROWS_MAX].tid, 0);
	assert_int_equal(rows.items[THREAD_ROWS_MAX].threads, 50);
	assert_int_equal(sum_of_rows(&count), 1000ull * (THREAD_ROWS_MAX + 100));
	assert_int_equal(count, THREAD_ROWS_MAX + 100);
	assert_int_equal(rows.other.threads, 0);
}

static void threads_that_ended_leave_half_of_the_rows_to_the_living(void **state)
{
	const uint32_t ended = THREAD_ROWS_ENDED_MAX + THREAD_ROWS_PROCESSES_MAX + 10;
	uint32_t count;

	for (uint32_t tid = 1; tid <= ended; tid++) {
		make_ended(1000, tid, 450);
		thread_answer_ended(&threads, &rows, &recording.aggregate, &record.thread);
	}
	assert_int_equal(rows.single, THREAD_ROWS_ENDED_MAX);
	assert_int_equal(rows.other.threads, 10);
	assert_int_equal(recording.processes.count, ended - 10);
	make_runner(1000, 1000000, 900, 300);
	add();
	answer();
	check(1000000, 1000, 400);
	assert_int_equal(sum_of_rows(&count), 1000ull * (ended + 1));
	assert_int_equal(count, ended + 1);
}

static void without_memory_the_time_is_that_of_the_others(void **state)
{
	uint32_t count;

	recording.budget.limit = recording.budget.used;
	make_runner(1000, 1, 900, 300);
	add();
	answer();
	assert_int_equal(rows.count, 0);
	assert_int_equal(sum_of_rows(&count), 1000);
	assert_int_equal(count, 1);
	recording.budget.limit = RECORDING_BYTES;
}

static void sleep_in_an_answer_is_in_progress(void **state)
{
	make_thread(&record, 1000, 1, "sleeper", TM_THREAD_IO_WAIT, 400, NULL, 0);
	record.thread.seen = 400;
	add();
	answer();
	assert_int_equal(sum.count, 1);
	assert_int_equal(sum.value, 600);
	assert_int_equal(row_of(1)->times.ns[TM_THREAD_IO_WAIT], 600);
	assert_int_equal(row_of(1)->times.lifetime_ns, 600);
}

#define each(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		each(a_row_has_what_passed_since_the_last_answer),
		each(thread_that_ends_has_its_rest_and_is_forgotten),
		each(thread_that_ends_after_the_last_answer_has_one_row),
		each(last_record_of_a_thread_without_its_group_is_its_process_one),
		each(thread_with_the_tid_of_another_one_begins_anew),
		each(a_second_record_of_a_thread_in_one_answer_is_refused),
		each(thread_that_a_later_answer_lacks_is_forgotten),
		each(thread_that_ended_before_the_answer_that_lacks_it_has_its_rest),
		each(time_before_the_interval_that_is_not_known_is_left_out),
		each(symbolizer_that_resumes_counts_from_its_first_answer_on),
		each(invented_times_do_not_exceed_what_has_passed),
		each(further_threads_share_the_row_of_their_process),
		each(threads_that_ended_leave_half_of_the_rows_to_the_living),
		each(without_memory_the_time_is_that_of_the_others),
		each(sleep_in_an_answer_is_in_progress),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
