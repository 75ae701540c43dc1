/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_reader - samples of a real ring are counted once and in order, or dropped for a reason
 */

#include "tests/unit/symbolizer/reader_fixture.h"

static void samples_wait_for_w(void **state)
{
	push_sample(100, 1);
	push_sample(50, 1);
	tm_ring_publish(&writer, 60);
	assert_int_equal(reader_round(&reader), 0);
	assert_int_equal(reader.samples[TM_SAMPLE_ON_CPU].read.count, 2);
	assert_int_equal(recording.aggregate.exported[TM_SAMPLE_ON_CPU].count, 1);
	tm_ring_publish(&writer, 101);
	assert_int_equal(reader_round(&reader), 0);
	assert_int_equal(recording.aggregate.exported[TM_SAMPLE_ON_CPU].count, 2);
	assert_int_equal(recording.aggregate.sample_count, 1);
	assert_int_equal(recording.aggregate.samples[0].count, 2);
	assert_int_equal(reader.first_ktime, 50);
	assert_int_equal(reader.last_ktime, 100);
	assert_int_equal(reader.late, 0);
}

static void record_below_an_earlier_w_is_late_but_is_counted(void **state)
{
	tm_ring_publish(&writer, 100);
	assert_int_equal(reader_round(&reader), 0);
	push_sample(99, 1);
	tm_ring_publish(&writer, 200);
	assert_int_equal(reader_round(&reader), 0);
	assert_int_equal(reader.late, 1);
	assert_int_equal(recording.aggregate.exported[TM_SAMPLE_ON_CPU].count, 1);
}

/* The reader sleeps: W was published, and a record pushed too late, before it reads at all. */
static void late_record_is_seen_by_a_reader_that_slept_through_its_w(void **state)
{
	push_sample(150, 1);
	tm_ring_publish(&writer, 100);
	push_sample(99, 1);
	push_sample(100, 1);
	tm_ring_publish(&writer, 120);
	make_file(&record, 1, 11, "f\0", 2);
	record.event.ktime = 119;
	push();
	tm_ring_publish(&writer, 130);
	assert_int_equal(reader_round(&reader), 0);
	assert_int_equal(reader.late, 2);
	assert_int_equal(recording.aggregate.exported[TM_SAMPLE_ON_CPU].count, 2);
}

static void final_drain_counts_what_is_above_w(void **state)
{
	for (uint64_t i = 1; i <= 20; i++)
		push_sample(i * 10, 1);
	push_sample(UINT64_MAX, 1); /* W will never pass this */
	tm_ring_publish(&writer, 15);
	reader_drain(&reader);
	assert_int_equal(recording.aggregate.exported[TM_SAMPLE_ON_CPU].count, 21);
}

static void push_file(uint64_t ktime, uint64_t ino, const char *path)
{
	make_file(&record, 1, ino, path, 4);
	record.event.ktime = ktime;
	push();
}

static void push_retire(uint64_t ktime)
{
	make_retire(&record, ktime, 1);
	push();
}

/* Path of the leaf of stack @index; stacks are numbered in the order of their first sample. */
static const char *path_of_stack(unsigned index)
{
	uint64_t word = recording.aggregate.stacks[index].frames[0];
	uint32_t file = (word >> TM_FRAME_FILE_SHIFT) & TM_FRAME_FILE_MAX;

	return recording_text(&recording, recording.files.items[file].path);
}

static void samples_on_both_sides_of_a_retire_keep_their_own_file(void **state)
{
	push_file(10, 11, "old\0");
	push_sample(50, 1);
	push_sample(54, 1);
	tm_ring_publish(&writer, 60);
	push_retire(55);
	push_file(61, 22, "new\0");
	push_sample(62, 1);
	tm_ring_publish(&writer, 100);
	assert_int_equal(reader_round(&reader), 0);
	assert_int_equal(recording.aggregate.stack_count, 2);
	assert_string_equal(path_of_stack(0), "/old");
	assert_string_equal(path_of_stack(1), "/new");
	assert_int_equal(recording.aggregate.samples[0].count, 2);
	assert_int_equal(recording.files.retired, 1);
	assert_int_equal(recording.files.conflicts, 0);
	assert_int_equal(reader.late, 0);
}

static void samples_that_wait_when_a_retire_is_read_keep_their_own_file(void **state)
{
	push_file(10, 11, "old\0");
	push_sample(54, 1);
	tm_ring_publish(&writer, 40);
	assert_int_equal(reader_round(&reader), 0);
	assert_int_equal(recording.aggregate.exported[TM_SAMPLE_ON_CPU].count, 0);
	tm_ring_publish(&writer, 56);
	push_retire(55);
	push_sample(57, 2);
	tm_ring_publish(&writer, 57);
	assert_int_equal(reader_round(&reader), 0);
	assert_int_equal(recording.aggregate.exported[TM_SAMPLE_ON_CPU].count, 1);
	push_file(61, 22, "new\0");
	push_sample(62, 1);
	tm_ring_publish(&writer, 100);
	assert_int_equal(reader_round(&reader), 0);
	assert_string_equal(path_of_stack(0), "/old");
	assert_string_equal(path_of_stack(2), "/new");
}

static void same_file_under_its_next_number_is_one_file(void **state)
{
	push_file(10, 11, "one\0");
	push_sample(50, 1);
	tm_ring_publish(&writer, 60);
	push_retire(55);
	make_file(&record, 2, 11, "one\0", 4);
	record.event.ktime = 61;
	push();
	push_sample(62, 2);
	tm_ring_publish(&writer, 100);
	assert_int_equal(reader_round(&reader), 0);
	assert_int_equal(recording.aggregate.stack_count, 1);
	assert_int_equal(recording.aggregate.samples[0].count, 2);
	assert_int_equal(recording.files.live, 1);
}

static void retire_record_above_w_is_refused(void **state)
{
	push_file(10, 11, "old\0");
	push_sample(50, 1);
	tm_ring_publish(&writer, 40);
	push_retire(40);
	push_retire(UINT64_MAX);
	tm_ring_publish(&writer, 45);
	assert_int_equal(reader_round(&reader), 0);
	assert_int_equal(reader.bad_records, 2);
	assert_int_equal(reader.samples[TM_SAMPLE_ON_CPU].bad, 0);
	assert_int_equal(recording.aggregate.exported[TM_SAMPLE_ON_CPU].count, 0);
	assert_int_equal(recording.files.retired, 0);
}

static void number_reused_without_a_retire_is_counted(void **state)
{
	push_file(10, 11, "old\0");
	push_sample(50, 1);
	tm_ring_publish(&writer, 60);
	assert_int_equal(reader_round(&reader), 0);
	push_file(61, 22, "new\0");
	push_sample(70, 1);
	tm_ring_publish(&writer, 100);
	assert_int_equal(reader_round(&reader), 0);
	assert_int_equal(recording.files.conflicts, 1);
	assert_string_equal(path_of_stack(0), "/old");
	assert_string_equal(path_of_stack(1), "/new");
}

static void samples_and_exits_of_all_cpus_arrive_in_the_order_of_their_times(void **state)
{
	uint64_t random = 88172645463325252ull, last = 0;
	static const char *const names[] = {"a", "b", "c"};
	uint64_t word = ANON_WORD(1);

	/* Two CPUs interleave: the records of each are in order, those of both together are not. */
	for (uint64_t i = 1; i <= 200; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		make_sample(&record, 10 * i + (random % 2 ? 300 : 0), (uint32_t)i, names[i % 3],
			    &word, 0, 1);
		push();
	}
	tm_ring_publish(&writer, 5000);
	assert_int_equal(reader_round(&reader), 0);
	assert_int_equal(recording.aggregate.exported[TM_SAMPLE_ON_CPU].count, 200);
	/* Generations are numbered as their first samples were counted in. */
	for (uint32_t i = 0; i < recording.processes.count; i++) {
		assert_true(recording.processes.items[i].seen_ktime >= last);
		last = recording.processes.items[i].seen_ktime;
	}
}

static void exit_between_samples_of_two_cpus_is_ordered(void **state)
{
	uint64_t word = ANON_WORD(1);

	make_sample(&record, 70, 42, "c", &word, 0, 1);
	push();
	make_exit(&record, 60, 42);
	push();
	make_sample(&record, 50, 42, "c", &word, 0, 1);
	push();
	tm_ring_publish(&writer, 55);
	assert_int_equal(reader_round(&reader), 0);
	assert_int_equal(recording.processes.items[0].exit_ktime, 0);
	tm_ring_publish(&writer, 65);
	assert_int_equal(reader_round(&reader), 0);
	assert_int_equal(recording.processes.items[0].exit_ktime, 60);
	tm_ring_publish(&writer, 80);
	assert_int_equal(reader_round(&reader), 0);
	assert_int_equal(recording.processes.count, 1);
	assert_int_equal(recording.processes.items[0].seen_ktime, 70);
	assert_int_equal(recording.aggregate.samples[0].count, 2);
}

static void bad_record_is_counted_and_the_next_is_read(void **state)
{
	push_sample(50, 1);
	make_exit(&record, 51, 1);
	record.event.type = 99;
	push();
	push_sample(52, 1);
	tm_ring_publish(&writer, 100);
	assert_int_equal(reader_round(&reader), 0);
	assert_int_equal(reader.bad_records, 1);
	assert_int_equal(recording.aggregate.exported[TM_SAMPLE_ON_CPU].count, 2);
}

static void exhausted_budget_drops_and_counts(void **state)
{
	uint64_t pushed = 0;

	recording.budget.limit = recording.budget.used + (104u << 10);
	for (uint32_t i = 0; i < 3000; i++, pushed++) {
		uint64_t words[2] = {FILE_WORD(1, i), FILE_WORD(2, i)};

		make_sample(&record, i + 1, 42 + i, "c", words, 0, 2); /* a process each */
		tm_ring_writer_refresh(&writer);
		push();
		tm_ring_publish(&writer, i + 2);
		assert_int_equal(reader_round(&reader), 0);
	}
	assert_true(reader.samples[TM_SAMPLE_ON_CPU].no_memory.count > 0);
	assert_true(recording.aggregate.exported[TM_SAMPLE_ON_CPU].count > 0);
	assert_int_equal(reader.samples[TM_SAMPLE_ON_CPU].exported.count,
			 recording.aggregate.exported[TM_SAMPLE_ON_CPU].count);
	assert_int_equal(reader.samples[TM_SAMPLE_ON_CPU].exported.count +
				 reader.samples[TM_SAMPLE_ON_CPU].no_memory.count,
			 pushed);
	assert_true(recording.budget.used <= recording.budget.limit);
}

static void false_length_makes_the_ring_unusable(void **state)
{
	uint8_t *data = (uint8_t *)region + TM_RING_HEADER_BYTES;
	uint32_t wrong = 12;

	push_sample(50, 1);
	push_sample(51, 1);
	memcpy(data, &wrong, sizeof(wrong));
	tm_ring_publish(&writer, 100);
	assert_true(reader_round(&reader) < 0);
	assert_true(reader.broken);
	assert_true(reader_round(&reader) < 0);
	reader_drain(&reader);
	assert_int_equal(recording.aggregate.exported[TM_SAMPLE_ON_CPU].count, 0);
}

static void key_is_generation_thread_name_stop_state_and_stack(void **state)
{
	uint64_t word = VDSO_WORD(1);

	for (unsigned i = 0; i < 9; i++) {
		make_sample(&record, 10, 42, "c", &word, 0, 1);
		record.event.exec_id += i == 1;
		record.event.tid += i == 2;
		record.sample.comm[0] = i == 3 ? 'd' : 'c';
		record.sample.user_stop = i == 4 ? TM_STOP_DEPTH : TM_STOP_NONE;
		record.sample.kernel_stop = i == 5 ? TM_STOP_KERNEL_DEPTH : TM_STOP_NONE;
		record.sample.frames[0] += i == 6;
		if (i > 6)
			make_off_cpu(&record, i == 7 ? TM_THREAD_NEW : TM_THREAD_STOPPED, 5);
		push();
		push();
	}
	tm_ring_publish(&writer, 100);
	assert_int_equal(reader_round(&reader), 0);
	assert_int_equal(recording.aggregate.sample_count, 9);
	for (unsigned i = 0; i < 9; i++)
		assert_int_equal(recording.aggregate.samples[i].count, 2);
	assert_int_equal(recording.aggregate.stack_count, 2);
	assert_int_equal(recording.aggregate.samples[4].stop, TM_STOP_DEPTH);
	assert_int_equal(recording.aggregate.samples[5].stop, TM_STOP_KERNEL_DEPTH);
	assert_int_equal(recording.aggregate.samples[6].state, TM_THREAD_ON_CPU);
	assert_int_equal(recording.aggregate.samples[7].state, TM_THREAD_NEW);
	assert_int_equal(recording.aggregate.samples[8].value, 10);
}

#define with_ring(test) cmocka_unit_test_setup_teardown(test, make_ring, end_ring)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_ring(samples_wait_for_w),
		with_ring(record_below_an_earlier_w_is_late_but_is_counted),
		with_ring(late_record_is_seen_by_a_reader_that_slept_through_its_w),
		with_ring(final_drain_counts_what_is_above_w),
		with_ring(samples_on_both_sides_of_a_retire_keep_their_own_file),
		with_ring(samples_that_wait_when_a_retire_is_read_keep_their_own_file),
		with_ring(same_file_under_its_next_number_is_one_file),
		with_ring(retire_record_above_w_is_refused),
		with_ring(number_reused_without_a_retire_is_counted),
		with_ring(samples_and_exits_of_all_cpus_arrive_in_the_order_of_their_times),
		with_ring(exit_between_samples_of_two_cpus_is_ordered),
		with_ring(bad_record_is_counted_and_the_next_is_read),
		with_ring(exhausted_budget_drops_and_counts),
		with_ring(false_length_makes_the_ring_unusable),
		with_ring(key_is_generation_thread_name_stop_state_and_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
