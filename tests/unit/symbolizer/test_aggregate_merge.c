/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_aggregate_merge - a full budget makes a profile coarser, and no process loses a sample
 *
 * TM_SEED repeats a random test.
 */

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shared/parse.h"
#include "symbolizer/profile/aggregate_merge.h"
#include "tests/unit/symbolizer/make.h"
#include "tests/unit/symbolizer/recording.h"

#define PROCESSES  50u
#define WAKER      9000u /* a thread that ends sleeps */
#define ROUNDS     12u
#define SAMPLES    12000u
#define DEPTH_MAX  150u
#define ROOT(tgid) KERNEL_WORD(1, 0x1000 + (tgid))
#define BYTES_MIN  (192u << 10)

static struct recording recording;
static struct budget own; /* of the aggregate alone */
static union make_record record;
static uint64_t random_state;

static uint32_t random_below(uint32_t end)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)((random_state >> 33) % end);
}

static union make_record slept;

static int begin(void **state)
{
	const char *seed = getenv("TM_SEED"); // NOLINT(concurrency-mt-unsafe)

	if (!seed || tm_parse_number(seed, 1, UINT64_MAX, &random_state))
		random_state = (uintptr_t)&seed ^ 0x5eed;
	print_message("TM_SEED=%" PRIu64 "\n", random_state);
	if (recording_make(&recording))
		return -1;
	aggregate_charge(&recording.aggregate, &own);
	return 0;
}

static int end(void **state)
{
	return recording_end(&recording) || own.used ? -1 : 0;
}

/* As the record of a sample of kernel frames only: leaf first, and ROOT(tgid) at the root. */
static void make(uint32_t tgid, uint32_t tid, const char *comm, uint64_t leaf, uint32_t depth)
{
	uint64_t words[DEPTH_MAX + 1];

	for (uint32_t i = 0; i < depth; i++)
		words[i] = FILE_WORD(1 + (leaf >> 7) % 40, (leaf << 8 | (depth - i)) & 0xffffff);
	if (leaf % 11 == 0 && depth > 3)
		words[depth / 2] = ANON_WORD(0x7f0000000000 + leaf);
	words[depth] = VDSO_WORD(0x100 + tgid);
	make_sample(&record, 1, tgid, comm, words, 0, (uint16_t)(depth + 1));
	record.event.tid = tid;
}

static int add(uint32_t tgid, uint32_t tid, const char *comm, uint64_t leaf, uint32_t depth)
{
	make(tgid, tid, comm, leaf, depth);
	return aggregate_add(&recording.aggregate, &record.sample);
}

static struct sample_sum sum_of(uint32_t tgid, enum tm_sample_kind kind)
{
	const struct aggregate *aggregate = &recording.aggregate;
	struct sample_sum sum = {0};

	for (uint32_t i = 0; i < aggregate->sample_count; i++) {
		const struct aggregate_sample *sample = &aggregate->samples[i];

		if (recording.processes.items[sample->process].tgid == tgid && sample->kind == kind)
			sample_sum_add(&sum, sample->count, sample->value);
	}
	return sum;
}

static uint64_t samples_of(uint32_t tgid)
{
	return sum_of(tgid, TM_SAMPLE_ON_CPU).count;
}

/* Each stack is whole, or AGGREGATE_MERGED and then frames up to the root of its process. */
static void check_stacks(void)
{
	const struct aggregate *aggregate = &recording.aggregate;
	uint64_t weight = 0, frames = 0;

	for (uint32_t i = 0; i < aggregate->stack_count; i++) {
		const struct aggregate_stack *stack = &aggregate->stacks[i];
		bool merged = aggregate_is_merged(stack);

		assert_true(stack->count > 0);
		for (uint32_t f = merged; f < stack->count; f++)
			assert_true(stack->frames[f] != AGGREGATE_MERGED);
		if (!merged || stack->count > 1)
			assert_int_equal(stack->frames[stack->count - 1] >> TM_FRAME_KIND_SHIFT,
					 TM_FRAME_VDSO);
		weight += stack->weight;
		frames += stack->count;
	}
	/* A waker's stack counts, too, and does so when the waker is forgotten. */
	assert_true(weight >= aggregate->exported[TM_SAMPLE_ON_CPU].count +
				      aggregate->exported[TM_SAMPLE_OFF_CPU].count);
	assert_int_equal(frames, aggregate->frame_count);
}

static void each_is_found_again(void)
{
	const struct aggregate *aggregate = &recording.aggregate;

	for (uint32_t i = 0; i < aggregate->sample_count; i++) {
		const struct aggregate_sample *sample = &aggregate->samples[i];
		const struct aggregate_stack *stack = &aggregate->stacks[sample->stack];

		if (!aggregate_is_merged(stack) || stack->count == 1)
			continue;
		assert_int_equal(
			stack->frames[stack->count - 1],
			VDSO_WORD(0x100 + recording.processes.items[sample->process].tgid));
	}
}

/* Return: how many samples have a waker. */
static uint64_t check_wakers(void)
{
	const struct aggregate *aggregate = &recording.aggregate;
	uint64_t count = 0;

	for (uint32_t i = 0; i < aggregate->sample_count; i++) {
		const struct aggregate_sample *sample = &aggregate->samples[i];
		const struct aggregate_stack *stack;

		if (!sample->waker_stack)
			continue;
		assert_int_equal(sample->kind, TM_SAMPLE_OFF_CPU);
		assert_true(sample->waker_stack <= aggregate->stack_count);
		stack = &aggregate->stacks[sample->waker_stack - 1];
		if (stack->count > 1)
			assert_int_equal(stack->frames[stack->count - 1], VDSO_WORD(0x100 + WAKER));
		count += sample->count;
	}
	return count;
}

static struct sample_sum added[PROCESSES][TM_SAMPLE_KINDS_N];

/* Of any kind; a leaf may be one of both. */
static void add_random(uint32_t leaves, uint32_t depth)
{
	uint32_t process = random_below(1 + random_below(PROCESSES));
	enum tm_sample_kind kind = random_below(TM_SAMPLE_KINDS_N);
	uint64_t value = 1 + random_below(UINT32_MAX);
	char comm[TM_COMM_BYTES] = "thread";

	comm[6] = (char)('a' + random_below(20));
	make(10 + process, 10 + random_below(3000), comm, random_below(leaves),
	     1 + random_below(depth));
	if (kind == TM_SAMPLE_OFF_CPU) {
		make_off_cpu(&record, TM_THREAD_IO_WAIT, value);
		memcpy(&slept, &record, record.event.bytes);
		make(WAKER, WAKER, "waker", random_below(leaves), 1 + random_below(depth));
		make_waker(&record, 10 + process, 1);
		assert_int_equal(aggregate_add_woken(&recording.aggregate, &slept.sample, value,
						     process % 2 ? &record.sample : NULL),
				 0);
	} else {
		assert_int_equal(aggregate_add_value(&recording.aggregate, &record.sample, value),
				 0);
	}
	sample_sum_add(&added[process][kind], 1, value);
}

static void check_sums(void)
{
	struct sample_sum all[TM_SAMPLE_KINDS_N] = {0};

	for (uint32_t p = 0; p < PROCESSES; p++)
		for (int kind = 0; kind < TM_SAMPLE_KINDS_N; kind++) {
			const struct sample_sum *wanted = &added[p][kind];
			struct sample_sum found = sum_of(10 + p, (enum tm_sample_kind)kind);

			assert_memory_equal(&found, wanted, sizeof(found));
			sample_sum_add(&all[kind], wanted->count, wanted->value);
		}
	assert_memory_equal(recording.aggregate.exported, all, sizeof(all));
}

static void samples_of_each_process_are_exact_under_random_budgets(void **state)
{
	uint64_t merged = 0, woken = 0;

	for (uint32_t round = 0; round < ROUNDS; round++) {
		uint64_t limit = BYTES_MIN + random_below(2u << 20);
		uint32_t leaves = 1 + random_below(20000), depth = 1 + random_below(DEPTH_MAX);

		memset(added, 0, sizeof(added));
		own.limit = limit;
		for (uint32_t i = 0; i < SAMPLES; i++)
			add_random(leaves, depth);
		check_sums();
		assert_true(own.used <= own.limit);
		check_stacks();
		each_is_found_again();
		woken += check_wakers();
		merged += aggregate_merged_samples(&recording.aggregate);
		assert_int_equal(recording_forget(&recording), 0);
	}
	assert_true(merged > 0);
	assert_true(woken > 0);
}

static void kinds_of_one_stack_stay_apart_and_an_on_cpu_sample_is_a_period(void **state)
{
	own.limit = BYTES_MIN;
	recording.aggregate.period_ns = 10101010;
	for (uint64_t i = 0; i < 5; i++) {
		assert_int_equal(add(10, 10, "c", 1000, 9), 0);
		make_off_cpu(&record, TM_THREAD_RUNNABLE, 1000000007 * i);
		assert_int_equal(aggregate_add(&recording.aggregate, &record.sample), 0);
	}
	assert_int_equal(recording.aggregate.stack_count, 1);
	assert_int_equal(recording.aggregate.sample_count, 2);
	assert_int_equal(sum_of(10, TM_SAMPLE_ON_CPU).count, 5);
	assert_int_equal(sum_of(10, TM_SAMPLE_ON_CPU).value, 50505050);
	assert_int_equal(sum_of(10, TM_SAMPLE_OFF_CPU).count, 5);
	assert_int_equal(sum_of(10, TM_SAMPLE_OFF_CPU).value, 10000000070);
}

static void on_cpu_sample_with_a_value_stands_for_that_and_counts_as_one(void **state)
{
	own.limit = BYTES_MIN;
	recording.aggregate.period_ns = 10101010;
	assert_int_equal(add(10, 10, "c", 1000, 9), 0);
	record.sample.value = 8 * 10101010;
	for (uint64_t i = 0; i < 3; i++)
		assert_int_equal(aggregate_add(&recording.aggregate, &record.sample), 0);
	assert_int_equal(recording.aggregate.sample_count, 1);
	assert_int_equal(sum_of(10, TM_SAMPLE_ON_CPU).count, 4);
	assert_int_equal(sum_of(10, TM_SAMPLE_ON_CPU).value, 25 * 10101010);
	assert_int_equal(recording.aggregate.exported[TM_SAMPLE_ON_CPU].count, 4);
}

/* Return: samples in stacks of this leaf that are whole. */
static uint64_t whole_samples(uint32_t depth)
{
	const struct aggregate *aggregate = &recording.aggregate;
	uint64_t count = 0;

	for (uint32_t i = 0; i < aggregate->stack_count; i++)
		if (!aggregate_is_merged(&aggregate->stacks[i]) &&
		    aggregate->stacks[i].count == depth + 1)
			count += aggregate->stacks[i].weight;
	return count;
}

static void full_profile_goes_on_taking_new_stacks(void **state)
{
	own.limit = (1u << 20);
	for (uint32_t i = 0; i < 60000; i++)
		assert_int_equal(add(10, 10, "c", 1000 + i, 20), 0);
	assert_true(aggregate_merged_samples(&recording.aggregate) > 30000);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(add(11, 11, "c", 13, 33), 0);
	assert_true(whole_samples(33) >= 999);
	assert_int_equal(samples_of(10), 60000);
	assert_int_equal(samples_of(11), 1000);
}

static void frequent_stacks_stay_whole_and_rare_ones_lose_their_leaves(void **state)
{
	uint64_t cut = 0;

	own.limit = (1u << 20);
	for (uint32_t i = 0; i < 20000; i++) {
		assert_int_equal(add(10, 10, "c", 1000 + i, 30), 0);
		if (i % 20 == 0)
			assert_int_equal(add(11, 11, "c", 17, 40), 0);
	}
	assert_int_equal(whole_samples(40), 1000);
	for (uint32_t i = 0; i < recording.aggregate.stack_count; i++) {
		const struct aggregate_stack *stack = &recording.aggregate.stacks[i];

		cut += aggregate_is_merged(stack) && stack->count > 1 && stack->count < 31;
	}
	assert_true(cut > 1000); /* of most stacks something is left */
}

static void threads_are_merged_once_stacks_are(void **state)
{
	bool any = false;

	own.limit = BYTES_MIN;
	for (uint32_t i = 0; i < 50000; i++)
		assert_int_equal(add(10, 100 + i, "c", i, 2), 0);
	assert_int_equal(samples_of(10), 50000);
	for (uint32_t i = 0; i < recording.aggregate.sample_count; i++) {
		const struct aggregate_sample *sample = &recording.aggregate.samples[i];

		if (sample->tid)
			continue;
		any = true;
		assert_string_equal(recording_text(&recording, sample->comm), "[merged]");
		assert_int_equal(recording.aggregate.stacks[sample->stack].count, 1);
	}
	assert_true(any);
}

static void stops_are_counted_as_before(void **state)
{
	uint64_t expected[TM_STOP_N] = {0}, found[TM_STOP_N] = {0};

	own.limit = BYTES_MIN;
	for (uint32_t i = 0; i < 20000; i++) {
		uint64_t words[] = {VDSO_WORD(i), VDSO_WORD(1)};
		uint32_t stop = random_below(TM_STOP_N);

		make_sample(&record, 1, 10, "c", words, 0, 2);
		record.event.tid = i;
		record.sample.user_stop = (uint8_t)stop;
		assert_int_equal(aggregate_add(&recording.aggregate, &record.sample), 0);
		expected[stop]++;
	}
	for (uint32_t i = 0; i < recording.aggregate.sample_count; i++)
		found[recording.aggregate.samples[i].stop] += recording.aggregate.samples[i].count;
	assert_memory_equal(found, expected, sizeof(found));
	assert_true(aggregate_merged_samples(&recording.aggregate) > 0);
}

static void sample_without_memory_for_its_process_is_refused_whole(void **state)
{
	uint64_t taken = 0, refused = 0;

	recording.budget.limit = recording.budget.used + (32u << 10);
	own.limit = BYTES_MIN;
	for (uint32_t i = 0; i < 20000; i++) {
		if (add(10 + i, 10 + i, "c", 1, 2))
			refused++;
		else
			taken++;
	}
	assert_true(refused > 0);
	assert_int_equal(recording.aggregate.exported[TM_SAMPLE_ON_CPU].count, taken);
	for (uint32_t i = 0, sum = 0; i < recording.aggregate.sample_count; i++) {
		sum += (uint32_t)recording.aggregate.samples[i].count;
		if (i + 1 == recording.aggregate.sample_count)
			assert_int_equal(sum, taken);
	}
	assert_true(own.used <= own.limit);
}

#define with_tables(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_tables(samples_of_each_process_are_exact_under_random_budgets),
		with_tables(kinds_of_one_stack_stay_apart_and_an_on_cpu_sample_is_a_period),
		with_tables(on_cpu_sample_with_a_value_stands_for_that_and_counts_as_one),
		with_tables(full_profile_goes_on_taking_new_stacks),
		with_tables(frequent_stacks_stay_whole_and_rare_ones_lose_their_leaves),
		with_tables(threads_are_merged_once_stacks_are),
		with_tables(stops_are_counted_as_before),
		with_tables(sample_without_memory_for_its_process_is_refused_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
