/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_thread_carry - a time that moves from one state to another is made up for in later intervals
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "shared/region.h"
#include "symbolizer/profile/thread_answer.h"
#include "tests/unit/symbolizer/make.h"
#include "tests/unit/symbolizer/recording.h"

static struct recording recording;
static struct threads threads;
static struct thread_rows rows;
static union make_record record;

static int begin(void **state)
{
	assert_int_equal(recording_make(&recording), 0);
	threads_init(&threads, &recording.seed);
	threads.budget.limit = RECORDING_BYTES;
	thread_rows_init(&rows, &recording.budget);
	return 0;
}

static int end(void **state)
{
	thread_rows_deinit(&rows);
	threads_deinit(&threads);
	return recording_end(&recording);
}

/* A thread that was seen first at 400, and slept and was runnable that long before @since. */
static void make(uint64_t ktime, enum tm_thread_state state, uint64_t since, uint64_t slept)
{
	make_thread(&record, ktime, 1, "sleeper", state, since, NULL, 0);
	record.thread.seen = 400;
	record.thread.ns[TM_THREAD_INTERRUPTIBLE] = slept;
	record.thread.ns[TM_THREAD_RUNNABLE] = since - 400 - slept;
}

/* The next interval has @slept, and for the rest @runnable. */
static void answer_has(uint64_t slept, uint64_t runnable)
{
	struct sample_sum sum = {0};
	const struct thread_answer into = {&threads, &rows, &recording.aggregate, &sum, UINT64_MAX};
	int fd = tm_region_seal_blob("threads", &record, record.event.bytes);
	struct thread_blob blob;

	thread_rows_deinit(&rows);
	thread_rows_init(&rows, &recording.budget);
	threads.interval++;
	assert_int_equal(thread_blob_open(&blob, fd, 10000, &threads.budget), 0);
	thread_answer_take(&into, &blob);
	thread_blob_close(&blob);
	(void)close(fd);
	assert_int_equal(rows.count, 1);
	assert_int_equal(rows.items[0].times.ns[TM_THREAD_INTERRUPTIBLE], slept);
	assert_int_equal(rows.items[0].times.ns[TM_THREAD_RUNNABLE], runnable);
	assert_int_equal(rows.items[0].times.lifetime_ns, slept + runnable);
}

/* It was woken at 900, which the first answer does not say: 100 ns of sleep were too much. */
static void too_much_of_a_state_is_taken_off_its_later_times(void **state)
{
	make(1000, TM_THREAD_INTERRUPTIBLE, 400, 0);
	answer_has(600, 0);
	make(1050, TM_THREAD_RUNNABLE, 900, 500);
	answer_has(0, 50);
	make(1250, TM_THREAD_RUNNABLE, 900, 500);
	answer_has(0, 200);
	make(2250, TM_THREAD_INTERRUPTIBLE, 1250, 500);
	answer_has(900, 100);
}

static void last_record_has_the_rest(void **state)
{
	make(1000, TM_THREAD_INTERRUPTIBLE, 400, 0);
	answer_has(600, 0);
	make(2000, TM_THREAD_STATES_N, 2000, 1400);
	thread_rows_deinit(&rows);
	thread_rows_init(&rows, &recording.budget);
	threads.interval++;
	thread_answer_ended(&threads, &rows, &recording.aggregate, &record.thread);
	assert_int_equal(rows.items[0].times.ns[TM_THREAD_INTERRUPTIBLE], 800);
	assert_int_equal(rows.items[0].times.ns[TM_THREAD_RUNNABLE], 200);
}

#define each(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		each(too_much_of_a_state_is_taken_off_its_later_times),
		each(last_record_has_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
