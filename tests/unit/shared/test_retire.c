/* SPDX-License-Identifier: Apache-2.0 */
/* test_retire - a due retirement runs once, and no other runs */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "shared/clock.h"
#include "shared/retire.h"

#define MANY 100000u

struct log {
	uint64_t last;   /* largest ktime so far */
	uint64_t passed; /* what earlier watermarks had passed */
	uint64_t sum;    /* of values */
	uint32_t ran;
	struct tm_retire_queue
		*again; /* gets another entry from each callback while `left` is positive */
	uint32_t left;
};

static void note(void *context, uint64_t ktime, uint64_t value)
{
	struct log *log = context;

	assert_true(ktime >= log->passed);
	if (ktime > log->last)
		log->last = ktime;
	log->sum += value;
	log->ran++;
	if (log->left > 0) {
		log->left--;
		assert_int_equal(tm_retire_at(log->again, ktime + 1, note, log, value), 0);
	}
}

static uint64_t next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return *seed >> 20;
}

static void only_entries_older_than_the_watermark_run(void **state)
{
	struct tm_retire_queue queue = {0};
	struct log log = {0};

	assert_int_equal(tm_retire_run(&queue, 5), 0);
	assert_int_equal(tm_retire_at(&queue, 30, note, &log, 4), 0);
	assert_int_equal(tm_retire_at(&queue, 10, note, &log, 1), 0);
	assert_int_equal(tm_retire_at(&queue, 20, note, &log, 2), 0);
	assert_int_equal(tm_retire_run(&queue, 10), 0); /* a record of 10 may still come */
	assert_int_equal(tm_retire_run(&queue, 11), 1);
	assert_int_equal(tm_retire_run(&queue, 30), 1);
	assert_int_equal(log.sum, 3);
	assert_int_equal(tm_retire_run(&queue, 31), 1);
	assert_int_equal(tm_retire_run(&queue, UINT64_MAX), 0);
	assert_int_equal(log.sum, 7);
	tm_retire_deinit(&queue);
}

static void callbacks_may_add_entries(void **state)
{
	struct tm_retire_queue queue = {0};
	struct log log = {.again = &queue, .left = 5};

	assert_int_equal(tm_retire_at(&queue, 10, note, &log, 1), 0);
	assert_int_equal(tm_retire_run(&queue, 13), 3); /* 10, 11 and 12 */
	assert_int_equal(queue.count, 1);
	assert_int_equal(tm_retire_run(&queue, UINT64_MAX), 3);
	assert_int_equal(log.ran, 6);
	tm_retire_deinit(&queue);
}

/* However the watermark rises, each entry runs once, between the two watermarks around it. */
static void many_run_in_time_however_the_watermark_moves(void **state)
{
	struct tm_retire_queue queue = {0};
	struct log log = {0};
	uint64_t seed = 7, sum = 0, watermark = 0;
	uint32_t ran = 0;

	for (uint32_t i = 0; i < MANY; i++) {
		sum += i;
		assert_int_equal(tm_retire_at(&queue, next(&seed) % 1000000, note, &log, i), 0);
	}
	while (queue.count > 0) {
		watermark += next(&seed) % 5000;
		ran += tm_retire_run(&queue, watermark);
		assert_true(log.last < watermark || ran == 0);
		log.passed = watermark;
	}
	assert_int_equal(ran, MANY);
	assert_int_equal(log.sum, sum);
	assert_true(queue.capacity < MANY / 8); /* memory was given back */
	tm_retire_deinit(&queue);
}

static void smallest_and_largest_ktime_are_valid(void **state)
{
	struct tm_retire_queue queue = {0};
	struct log log = {0};

	assert_int_equal(tm_retire_at(&queue, UINT64_MAX, note, &log, 1), 0);
	assert_int_equal(tm_retire_at(&queue, UINT64_MAX - 1, note, &log, 2), 0);
	assert_int_equal(tm_retire_at(&queue, 0, note, &log, 4), 0);
	assert_int_equal(tm_retire_run(&queue, 0), 0);
	assert_int_equal(tm_retire_run(&queue, 1), 1);
	assert_int_equal(log.sum, 4);
	assert_int_equal(tm_retire_run(&queue, UINT64_MAX), 1);
	assert_int_equal(log.sum, 6);
	assert_int_equal(tm_retire_run(&queue, 5), 0); /* the watermark does not fall */
	assert_int_equal(tm_retire_at(&queue, 7, note, &log, 8), 0);
	assert_int_equal(tm_retire_run(&queue, 5), 1);
	tm_retire_deinit(&queue);
}

static void entries_beyond_the_limit_are_refused(void **state)
{
	struct tm_retire_queue queue = {.count = TM_RETIRE_MAX};

	assert_int_equal(tm_retire_at(&queue, 1, note, NULL, 0), TM_RETIRE_E_FULL);
	assert_int_equal(tm_retire_reserve(&queue), TM_RETIRE_E_FULL);
}

static void reserved_entry_needs_no_memory(void **state)
{
	struct tm_retire_queue queue = {0};
	struct log log = {0};

	for (uint32_t i = 0; i < 1000; i++) {
		uint32_t capacity;

		assert_int_equal(tm_retire_reserve(&queue), 0);
		capacity = queue.capacity;
		assert_int_equal(tm_retire_at(&queue, i, note, &log, 1), 0);
		assert_int_equal(queue.capacity, capacity);
	}
	tm_retire_deinit(&queue);
}

/* This time is printed only; retire_cost (W5) bounds it. */
static void one_hundred_thousand_due_at_once(void **state)
{
	struct tm_retire_queue queue = {0};
	struct log log = {0};
	uint64_t seed = 1, from;

	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(tm_retire_at(&queue, next(&seed), note, &log, 1), 0);
	from = tm_clock_ns();
	assert_int_equal(tm_retire_run(&queue, UINT64_MAX), MANY);
	print_message("%u due entries: %.2f ms\n", MANY, (double)(tm_clock_ns() - from) / 1e6);
	assert_int_equal(log.sum, MANY);
	tm_retire_deinit(&queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_entries_older_than_the_watermark_run),
		cmocka_unit_test(callbacks_may_add_entries),
		cmocka_unit_test(many_run_in_time_however_the_watermark_moves),
		cmocka_unit_test(smallest_and_largest_ktime_are_valid),
		cmocka_unit_test(entries_beyond_the_limit_are_refused),
		cmocka_unit_test(reserved_entry_needs_no_memory),
		cmocka_unit_test(one_hundred_thousand_due_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
