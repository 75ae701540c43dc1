/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_in_progress - each ns of a sleep is in one report, whenever the reports are made
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "symbolizer/profile/in_progress.h"
#include "tests/unit/symbolizer/make.h"
#include "tests/unit/symbolizer/recording.h"

#define TID 42

static struct recording recording;
static struct threads threads;
static struct sample_sum sum;
static union make_record record;
static const uint64_t waits[] = {KERNEL_WORD(0, 0x10), KERNEL_WORD(0, 0x20) | TM_FRAME_RETURN,
				 KERNEL_WORD(0, 0x30) | TM_FRAME_RETURN, VDSO_WORD(0x100),
				 VDSO_WORD(0x200)};

static int begin(void **state)
{
	assert_int_equal(recording_make(&recording), 0);
	threads_init(&threads, &recording.seed);
	threads.budget.limit = RECORDING_BYTES;
	sum = (struct sample_sum){0};
	return 0;
}

static int end(void **state)
{
	threads_deinit(&threads);
	assert_int_equal(threads.budget.used, 0);
	assert_int_equal(threads.stack_bytes, 0);
	assert_int_equal(recording_end(&recording), 0);
	return 0;
}

/* A report at @ktime finds the sleep that began at @since. Return: what it adds. */
static uint64_t report(uint64_t ktime, uint64_t since)
{
	const uint64_t before = sum.value;
	struct thread *thread;

	make_thread(&record, ktime, TID, "sleeper", TM_THREAD_INTERRUPTIBLE, since, waits + 1, 2);
	thread = threads_get(&threads, &record.event);
	if (thread)
		in_progress_add(&threads, thread, &recording.aggregate, &record.thread, UINT64_MAX,
				&sum);
	return sum.value - before;
}

static void make_end(uint64_t since, uint64_t duration, uint64_t value)
{
	make_sample(&record, since + duration + 5, TID, "sleeper", waits, 3, 2);
	record.sample.kind = TM_SAMPLE_OFF_CPU;
	record.sample.state = TM_THREAD_INTERRUPTIBLE;
	record.sample.since = since;
	record.sample.duration = duration;
	record.sample.value = value;
}

/* The sample with which it ends. Return: what is left of it. */
static uint64_t finish(uint64_t since, uint64_t duration, uint64_t value)
{
	make_end(since, duration, value);
	return in_progress_left(&threads, &record.sample);
}

static void parts_of_a_sleep_in_three_reports_add_up_to_it(void **state)
{
	assert_int_equal(report(1000, 400), 600);
	assert_int_equal(report(2000, 400), 1000);
	assert_int_equal(finish(400, 1850, 1850), 250);
	assert_int_equal(sum.count, 2);
	assert_int_equal(recording.aggregate.exported[TM_SAMPLE_OFF_CPU].count, 2);
	assert_int_equal(recording.aggregate.exported[TM_SAMPLE_OFF_CPU].value, 1600);
	assert_int_equal(recording.aggregate.samples[0].state, TM_THREAD_INTERRUPTIBLE);
}

static void the_next_sleep_is_whole(void **state)
{
	assert_int_equal(report(1000, 400), 600);
	assert_int_equal(finish(400, 700, 700), 100);
	assert_int_equal(finish(1200, 300, 300), 300);
	assert_int_equal(report(3000, 2000), 1000);
	assert_int_equal(finish(2000, 1000, 1000), 0);
}

static void sleep_that_ended_before_the_answer_came_is_not_in_progress(void **state)
{
	assert_int_equal(finish(400, 100, 100), 100);
	assert_int_equal(report(450, 400), 0);
	assert_int_equal(sum.count, 0);
}

static void the_same_answer_twice_adds_nothing(void **state)
{
	assert_int_equal(report(1000, 400), 600);
	assert_int_equal(report(1000, 400), 0);
	assert_int_equal(report(900, 400), 0);
	assert_int_equal(sum.count, 1);
}

static void only_what_lies_in_the_interval_is_reported(void **state)
{
	struct thread *thread;

	make_thread(&record, 1000, TID, "sleeper", TM_THREAD_IO_WAIT, 400, waits + 1, 2);
	thread = threads_get(&threads, &record.event);
	in_progress_add(&threads, thread, &recording.aggregate, &record.thread, 400, &sum);
	assert_int_equal(sum.count, 0);
	in_progress_add(&threads, thread, &recording.aggregate, &record.thread, 900, &sum);
	assert_int_equal(sum.value, 500);
	assert_int_equal(report(2000, 400), 1100);
}

static void thread_that_runs_or_whose_sleep_is_not_counted_is_not_reported(void **state)
{
	for (unsigned i = 0; i < TM_THREAD_STATES_N; i++) {
		make_thread(&record, 1000, TID + i, "any", (enum tm_thread_state)i, 400, NULL, 0);
		in_progress_add(&threads, threads_get(&threads, &record.event),
				&recording.aggregate, &record.thread, UINT64_MAX, &sum);
	}
	assert_int_equal(sum.count, 4);
	make_thread(&record, 1000, 7, "any", TM_THREAD_IO_WAIT, 400, NULL, 0);
	record.thread.flags = 0;
	in_progress_add(&threads, threads_get(&threads, &record.event), &recording.aggregate,
			&record.thread, UINT64_MAX, &sum);
	assert_int_equal(sum.count, 4);
}

static void what_a_predecessor_reported_is_not_counted_again(void **state)
{
	threads_resume(&threads, 1000);
	assert_int_equal(finish(100, 700, 700), 0);
	assert_int_equal(finish(300, 800, 800), 100);
	assert_int_equal(report(1700, 400), 700);
	assert_int_equal(finish(400, 1500, 1500), 200);
	assert_int_equal(finish(1000, 50, 50), 50);
}

static void sample_that_stands_for_others_was_not_reported_by_a_predecessor(void **state)
{
	threads_resume(&threads, 1000);
	assert_int_equal(finish(900, 150, 400), 400);
}

static void wait_for_a_cpu_is_not_a_part_of_the_sleep_before(void **state)
{
	threads_resume(&threads, 1000);
	make_end(400, 800, 800);
	record.sample.state = TM_THREAD_RUNNABLE;
	assert_int_equal(in_progress_left(&threads, &record.sample), 800);
	assert_int_equal(threads.live, 0);
}

static void sleep_that_cannot_be_remembered_is_not_in_progress(void **state)
{
	threads.budget.limit = 0;
	assert_int_equal(report(1000, 400), 0);
	assert_int_equal(threads.lost.full, 1);
	assert_int_equal(finish(400, 700, 700), 700);
	threads.budget.limit = RECORDING_BYTES;
	assert_int_equal(report(2000, 1500), 500);
	assert_int_equal(finish(1500, 700, 700), 200);
}

static void sleep_for_whose_sample_there_is_no_memory_is_not_in_progress(void **state)
{
	const uint64_t limit = recording.budget.limit;

	recording.budget.limit = recording.budget.used;
	assert_int_equal(report(1000, 400), 0);
	recording.budget.limit = limit;
	assert_int_equal(threads.lost.full, 1);
	assert_int_equal(finish(400, 700, 700), 700);
}

static const struct aggregate_stack *stack_of_last(void)
{
	const struct aggregate *aggregate = &recording.aggregate;

	return &aggregate->stacks[aggregate->samples[aggregate->sample_count - 1].stack];
}

static void sleep_at_the_place_of_the_last_sample_has_its_stack(void **state)
{
	assert_int_equal(finish(100, 200, 200), 200);
	assert_int_equal(report(1000, 400), 600);
	assert_int_equal(stack_of_last()->count, 5);
	assert_memory_equal(stack_of_last()->frames, waits, sizeof(waits));
}

static void sleep_at_another_place_has_its_kernel_frames_alone(void **state)
{
	const uint64_t elsewhere[] = {KERNEL_WORD(0, 0x99), waits[2]};

	assert_int_equal(finish(100, 200, 200), 200);
	make_thread(&record, 1000, TID, "sleeper", TM_THREAD_STOPPED, 400, elsewhere, 2);
	in_progress_add(&threads, threads_get(&threads, &record.event), &recording.aggregate,
			&record.thread, UINT64_MAX, &sum);
	assert_int_equal(stack_of_last()->count, 3);
	assert_memory_equal(stack_of_last()->frames, elsewhere, sizeof(elsewhere));
	assert_int_equal(stack_of_last()->frames[2], AGGREGATE_IN_PROGRESS);
}

static void stack_with_a_file_number_that_was_used_again_is_not_shown(void **state)
{
	const uint64_t words[] = {waits[1], waits[2], FILE_WORD(5, 0x10)};

	for (uint64_t retired = 0; retired < 2; retired++) {
		make_file(&record, 5, 77, "prog\0bin\0", 9);
		assert_int_equal(files_announce(&recording.files, &record.file), 0);
		make_end(100 + 1000 * retired, 200, 200);
		memcpy(record.sample.frames, words, sizeof(words));
		record.sample.kernel_frames = 2;
		record.sample.user_frames = 1;
		record.event.bytes = sizeof(struct tm_sample) + sizeof(words);
		(void)in_progress_left(&threads, &record.sample);
		if (retired)
			files_retire(&recording.files, 5, 1400);
		assert_int_equal(report(1000 + 1000 * retired, 400 + 1000 * retired), 600);
		assert_int_equal(stack_of_last()->frames[2] == AGGREGATE_IN_PROGRESS, retired);
	}
}

static void kernel_thread_has_no_user_frames(void **state)
{
	make_thread(&record, 1000, TID, "kworker", TM_THREAD_UNINTERRUPTIBLE, 400, waits + 1, 2);
	record.event.flags = TM_FLAG_KTHREAD;
	in_progress_add(&threads, threads_get(&threads, &record.event), &recording.aggregate,
			&record.thread, UINT64_MAX, &sum);
	assert_int_equal(stack_of_last()->count, 2);
}

static void stacks_are_bounded_and_counted(void **state)
{
	threads.stack_bytes = THREADS_STACK_BYTES;
	assert_int_equal(finish(100, 200, 200), 200);
	assert_int_equal(threads.lost.stacks, 1);
	assert_int_equal(report(1000, 400), 600);
	assert_int_equal(stack_of_last()->frames[2], AGGREGATE_IN_PROGRESS);
	threads.stack_bytes = 0;
}

/* However many reports are made, and wherever: the parts add up. */
static void random_reports_add_up(void **state)
{
	uint64_t now = 10, random = 12345;

	for (unsigned sleep = 0; sleep < 500; sleep++) {
		const uint64_t since = now, counted = sum.value;
		uint64_t left;

		for (unsigned i = 0; i < sleep % 5; i++) {
			random = random * 6364136223846793005ull + 1442695040888963407ull;
			now += random >> 54;
			(void)report(now, since);
		}
		now += 100 + sleep;
		left = finish(since, now - since, now - since);
		assert_int_equal(sum.value - counted + left, now - since);
		now += 20;
	}
}

#define each(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		each(parts_of_a_sleep_in_three_reports_add_up_to_it),
		each(the_next_sleep_is_whole),
		each(sleep_that_ended_before_the_answer_came_is_not_in_progress),
		each(the_same_answer_twice_adds_nothing),
		each(only_what_lies_in_the_interval_is_reported),
		each(thread_that_runs_or_whose_sleep_is_not_counted_is_not_reported),
		each(what_a_predecessor_reported_is_not_counted_again),
		each(sample_that_stands_for_others_was_not_reported_by_a_predecessor),
		each(wait_for_a_cpu_is_not_a_part_of_the_sleep_before),
		each(sleep_that_cannot_be_remembered_is_not_in_progress),
		each(sleep_for_whose_sample_there_is_no_memory_is_not_in_progress),
		each(sleep_at_the_place_of_the_last_sample_has_its_stack),
		each(sleep_at_another_place_has_its_kernel_frames_alone),
		each(stack_with_a_file_number_that_was_used_again_is_not_shown),
		each(kernel_thread_has_no_user_frames),
		each(stacks_are_bounded_and_counted),
		each(random_reports_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
