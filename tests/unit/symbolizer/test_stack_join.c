/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_stack_join - a stack taken before a wait gets to the samples that end this wait, no others
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/profile/reader.h"
#include "symbolizer/profile/stack_join.h"
#include "tests/unit/symbolizer/make.h"
#include "tests/unit/symbolizer/recording.h"

#define TID 42

static struct recording recording;
static struct threads threads;
static union make_record record;
static const uint64_t frames[] = {KERNEL_WORD(0, 0x10), KERNEL_WORD(0, 0x20) | TM_FRAME_RETURN,
				  VDSO_WORD(0x100), VDSO_WORD(0x200) | TM_FRAME_RETURN};

static int begin(void **state)
{
	assert_int_equal(recording_make(&recording), 0);
	threads_init(&threads, &recording.seed);
	threads.budget.limit = RECORDING_BYTES;
	return 0;
}

static int end(void **state)
{
	threads_deinit(&threads);
	assert_int_equal(threads.budget.used, 0);
	assert_int_equal(recording_end(&recording), 0);
	return 0;
}

static void make_wait(uint64_t ktime, uint32_t tid, uint64_t since, uint64_t value,
		      uint16_t kernel_frames, uint16_t user_frames)
{
	make_sample(&record, ktime, tid, "waits", frames, kernel_frames, user_frames);
	record.sample.kind = TM_SAMPLE_OFF_CPU;
	record.sample.state = TM_THREAD_INTERRUPTIBLE;
	record.sample.since = since;
	record.sample.duration = value;
	record.sample.value = value;
	record.sample.stack = since;
}

/* @since: when the wait began, before which the stack is taken. */
static void keep(uint32_t tid, uint64_t since)
{
	make_wait(since, tid, since, 0, 2, 2);
	assert_true(stack_join_is_stack(&record.sample));
	stack_join_keep(&threads, &record.sample);
}

static const struct tm_sample *join(uint32_t tid, uint64_t since, uint64_t value)
{
	make_wait(since + value, tid, since, value, 0, 0);
	assert_false(stack_join_is_stack(&record.sample));
	return stack_join(&threads, recording.aggregate.files, &record.sample);
}

static void assert_no_stack(const struct tm_sample *joined)
{
	assert_int_equal(joined->kernel_frames + joined->user_frames, 0);
	assert_int_equal(joined->user_stop, TM_STOP_NO_STACK);
}

static void both_samples_of_a_wait_get_its_stack(void **state)
{
	const struct tm_sample *joined;

	keep(TID, 1000);
	for (unsigned i = 0; i < 2; i++) {
		joined = join(TID, 1000, 500 + i);
		assert_int_equal(joined->kernel_frames, 2);
		assert_int_equal(joined->user_frames, 2);
		assert_memory_equal(joined->frames, frames, sizeof(frames));
		assert_int_equal(joined->value, 500 + i);
		assert_int_equal(joined->event.ktime, 1000);
		assert_int_equal(joined->user_stop, TM_STOP_NONE);
	}
}

static void another_wait_does_not_get_it(void **state)
{
	keep(TID, 1000);
	assert_no_stack(join(TID, 2000, 500));
	assert_no_stack(join(TID + 1, 1000, 500));
	keep(TID, 3000);
	assert_no_stack(join(TID, 1000, 500));
	assert_int_equal(join(TID, 3000, 500)->user_frames, 2);
}

static void a_sample_with_its_own_stack_stays_as_it_is(void **state)
{
	keep(TID, 1000);
	make_wait(1500, TID, 1000, 500, 1, 1);
	record.sample.stack = 0;
	assert_ptr_equal(stack_join(&threads, recording.aggregate.files, &record.sample),
			 &record.sample);
}

static void a_sample_without_space_for_its_stack_counts(void **state)
{
	threads.stack_bytes = THREADS_STACK_BYTES;
	keep(TID, 1000);
	threads.stack_bytes = 0;
	assert_int_equal(threads.lost.stacks, 1);
	assert_no_stack(join(TID, 1000, 500));
}

static void a_file_that_is_retired_meanwhile_takes_the_stack_along(void **state)
{
	const uint64_t in_file = FILE_WORD(7, 0x100);

	make_sample(&record, 1000, TID, "waits", &in_file, 0, 1);
	record.sample.kind = TM_SAMPLE_OFF_CPU;
	record.sample.state = TM_THREAD_INTERRUPTIBLE;
	record.sample.since = record.sample.stack = 1000;
	stack_join_keep(&threads, &record.sample);
	assert_no_stack(join(TID, 1000, 500)); /* nobody announced that number */
}

static void the_reader_counts_only_the_samples(void **state)
{
	static struct reader reader;
	const struct sample_counts *counts = &reader.samples[TM_SAMPLE_OFF_CPU];

	reader_init(&reader, &recording.aggregate, &recording.queue);
	reader.threads = &threads;
	make_wait(1000, TID, 1000, 0, 2, 2);
	memcpy(reader.record, &record, record.sample.event.bytes);
	reader_record(&reader, record.sample.event.bytes);
	make_wait(1500, TID, 1000, 500, 0, 0);
	memcpy(reader.record, &record, record.sample.event.bytes);
	reader_record(&reader, record.sample.event.bytes);
	reader_release(&reader, REORDER_ALL);
	assert_int_equal(counts->read.count, 1);
	assert_int_equal(counts->exported.count, 1);
	assert_int_equal(counts->exported.value, 500);
	assert_int_equal(recording.aggregate.exported[TM_SAMPLE_OFF_CPU].count, 1);
	assert_int_equal(recording.aggregate.samples[0].stop, TM_STOP_NONE);
	reader_deinit(&reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
		TEST(both_samples_of_a_wait_get_its_stack),
		TEST(another_wait_does_not_get_it),
		TEST(a_sample_with_its_own_stack_stays_as_it_is),
		TEST(a_sample_without_space_for_its_stack_counts),
		TEST(a_file_that_is_retired_meanwhile_takes_the_stack_along),
		TEST(the_reader_counts_only_the_samples),
	};

	return cmocka_run_group_tests_name("stack_join", tests, NULL, NULL);
}
