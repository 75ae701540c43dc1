/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_reader_kinds - samples of each kind are counted by themselves, those off-CPU with their ns
 */

#include "tests/unit/symbolizer/reader_fixture.h"

static void push_off_cpu(uint64_t ktime, uint32_t tid, uint64_t value)
{
	uint64_t word = ANON_WORD(1);

	make_sample(&record, ktime, tid, "c", &word, 0, 1);
	make_off_cpu(&record, TM_THREAD_UNINTERRUPTIBLE, value);
	push();
}

static void off_cpu_samples_are_counted_with_their_ns(void **state)
{
	const struct sample_counts *counts = &reader.samples[TM_SAMPLE_OFF_CPU];

	push_off_cpu(50, 1, 1000);
	push_off_cpu(60, 1, 200);
	push_sample(55, 1);
	tm_ring_publish(&writer, 60);
	assert_int_equal(reader_round(&reader), 0);
	assert_int_equal(counts->read.count, 2);
	assert_int_equal(counts->read.value, 1200);
	assert_int_equal(counts->exported.count, 1);
	assert_int_equal(counts->exported.value, 1000);
	tm_ring_publish(&writer, 100);
	assert_int_equal(reader_round(&reader), 0);
	assert_int_equal(counts->exported.value, 1200);
	assert_int_equal(recording.aggregate.exported[TM_SAMPLE_OFF_CPU].count, 2);
	assert_int_equal(recording.aggregate.exported[TM_SAMPLE_OFF_CPU].value, 1200);
	assert_int_equal(reader.samples[TM_SAMPLE_ON_CPU].exported.count, 1);
}

static void off_cpu_samples_without_memory_are_counted_with_their_ns(void **state)
{
	const struct sample_counts *counts = &reader.samples[TM_SAMPLE_OFF_CPU];

	recording.budget.limit = recording.budget.used + (96u << 10);
	for (uint32_t i = 0; i < 3000; i++) {
		tm_ring_writer_refresh(&writer);
		push_off_cpu(i + 1, 42 + i, 10); /* a process each */
		tm_ring_publish(&writer, i + 2);
		assert_int_equal(reader_round(&reader), 0);
	}
	assert_true(counts->no_memory.count > 0);
	assert_int_equal(counts->no_memory.value, 10 * counts->no_memory.count);
	assert_int_equal(counts->exported.count + counts->no_memory.count, 3000);
	assert_int_equal(recording.aggregate.exported[TM_SAMPLE_OFF_CPU].value,
			 counts->exported.value);
}

static void bad_sample_counts_as_the_kind_that_it_claims(void **state)
{
	uint64_t word = ANON_WORD(1);

	make_sample(&record, 50, 1, "c", &word, 0, 1);
	make_off_cpu(&record, TM_THREAD_NEW, TM_OFF_CPU_VALUE_MAX + 1);
	push();
	make_off_cpu(&record, TM_THREAD_STATES_N, 1);
	push();
	record.sample.kind = TM_SAMPLE_KINDS_N;
	push();
	tm_ring_publish(&writer, 100);
	assert_int_equal(reader_round(&reader), 0);
	assert_int_equal(reader.bad_records, 3);
	assert_int_equal(reader.samples[TM_SAMPLE_OFF_CPU].bad, 2);
	assert_int_equal(reader.samples[TM_SAMPLE_ON_CPU].bad, 1);
	assert_int_equal(reader.samples[TM_SAMPLE_OFF_CPU].read.count, 0);
}

/* That of a report; the reader's own goes on over all reports. */
static void sum_of_hostile_values_stops_at_its_limit(void **state)
{
	const uint64_t needed = SAMPLE_VALUE_MAX / TM_OFF_CPU_VALUE_MAX + 2;
	const struct sample_sum *exported = &recording.aggregate.exported[TM_SAMPLE_OFF_CPU];
	uint64_t sum = 0;

	for (uint64_t i = 1; i <= needed; i++)
		push_off_cpu(i, 1 + i % 2, TM_OFF_CPU_VALUE_MAX);
	tm_ring_publish(&writer, 1000);
	assert_int_equal(reader_round(&reader), 0);
	assert_int_equal(exported->count, needed);
	assert_int_equal(exported->value, SAMPLE_VALUE_MAX);
	assert_true(reader.samples[TM_SAMPLE_OFF_CPU].exported.value ==
		    needed * TM_OFF_CPU_VALUE_MAX);
	for (uint32_t i = 0; i < recording.aggregate.sample_count; i++)
		sum += recording.aggregate.samples[i].value;
	assert_int_equal(sum, SAMPLE_VALUE_MAX);
}

#define with_ring(test) cmocka_unit_test_setup_teardown(test, make_ring, end_ring)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_ring(off_cpu_samples_are_counted_with_their_ns),
		with_ring(off_cpu_samples_without_memory_are_counted_with_their_ns),
		with_ring(bad_sample_counts_as_the_kind_that_it_claims),
		with_ring(sum_of_hostile_values_stops_at_its_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
