/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_reorder - records come out oldest first, and never one at or above W
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/profile/reorder.h"
#include "tests/unit/symbolizer/make.h"

static void push(struct reorder *order, uint64_t ktime, uint32_t tgid)
{
	static union make_record record;

	make_exit(&record, ktime, tgid);
	assert_int_equal(reorder_push(order, &record.event), 0);
}

static uint64_t pop(struct reorder *order, uint64_t watermark, uint32_t *ret_tgid)
{
	const struct tm_event *event = NULL;
	uint64_t ktime;

	if (reorder_pop(order, watermark, &event) == REORDER_E_EMPTY)
		return 0;
	ktime = event->ktime;
	*ret_tgid = event->tgid;
	return ktime;
}

static void oldest_comes_first_and_nothing_at_or_above_w(void **state)
{
	struct reorder order = {0};
	uint32_t tgid;

	push(&order, 30, 1);
	push(&order, 10, 2);
	push(&order, 20, 3);
	assert_int_equal(pop(&order, 10, &tgid), 0);
	assert_int_equal(pop(&order, 30, &tgid), 10);
	assert_int_equal(pop(&order, 30, &tgid), 20);
	assert_int_equal(pop(&order, 30, &tgid), 0);
	assert_int_equal(pop(&order, 31, &tgid), 30);
	assert_int_equal(order.bytes, 0);
	reorder_deinit(&order);
}

static void equal_times_keep_the_order_of_arrival(void **state)
{
	struct reorder order = {0};
	uint32_t tgid;

	for (uint32_t i = 1; i <= 100; i++)
		push(&order, 5, i);
	for (uint32_t i = 1; i <= 100; i++) {
		assert_int_equal(pop(&order, 6, &tgid), 5);
		assert_int_equal(tgid, i);
	}
	reorder_deinit(&order);
}

static void many_in_any_order_come_out_sorted(void **state)
{
	struct reorder order = {0};
	uint64_t last = 0, ktime, random = 88172645463325252ull;
	uint32_t tgid;

	for (int i = 0; i < 5000; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		push(&order, 1 + random % 1000, 1);
	}
	for (int i = 0; i < 5000; i++, last = ktime) {
		ktime = pop(&order, UINT64_MAX, &tgid);
		assert_true(ktime >= last);
	}
	assert_int_equal(order.count, 0);
	reorder_deinit(&order);
}

/*
 * Like the reader: each round pushes records of several CPUs, some nested in another, of sizes from
 * small to almost a chunk, and pops those older than W. Each must come out unchanged.
 */
static void records_of_many_cpus_come_out_whole_and_sorted(void **state)
{
	static union make_record record;
	static uint64_t words[TM_USER_FRAMES_MAX];
	struct reorder order = {0};
	const struct tm_event *event;
	uint64_t random = 88172645463325252ull, now = 1000, last = 0;
	uint32_t pushed = 0, popped = 0;

	for (int round = 0; round < 200; round++) {
		for (uint16_t i = 0; i < 30; i++) {
			uint16_t frames = (uint16_t)(random % 20);

			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			if (random % 64 == 0)
				frames = TM_USER_FRAMES_MAX - (uint16_t)(random >> 60);
			now += random % 5;
			for (uint16_t f = 0; f < frames; f++)
				words[f] = ANON_WORD(now + f);
			make_sample(&record, random % 16 ? now : now - 3, 1 + pushed, "c", words, 0,
				    frames);
			record.event.cpu = (uint16_t)(random >> 32 & 0x7f);
			assert_int_equal(reorder_push(&order, &record.event), 0);
			pushed++;
		}
		while (!reorder_pop(&order, now - 3, &event)) {
			const struct tm_sample *sample = (const void *)event;

			assert_true(event->ktime >= last && event->ktime < now - 3);
			last = event->ktime;
			for (uint16_t f = 0; f < sample->user_frames; f++)
				assert_in_range(sample->frames[f] - ANON_WORD(last + f), 0, 3);
			popped++;
		}
	}
	assert_int_equal(order.count, pushed - popped);
	while (!reorder_pop(&order, UINT64_MAX, &event))
		popped++;
	assert_int_equal(pushed, popped);
	assert_int_equal(order.bytes, 0);
	reorder_deinit(&order);
}

static void full_buffer_takes_no_more(void **state)
{
	static union make_record record;
	struct reorder order = {0};
	static const uint64_t words[TM_USER_FRAMES_MAX];
	uint32_t pushed = 0;

	make_sample(&record, 1, 1, "c", words, 0, TM_USER_FRAMES_MAX);
	while (!reorder_push(&order, &record.event))
		pushed++;
	assert_false(reorder_has_space(&order));
	assert_true(order.bytes <= REORDER_MAX_BYTES);
	assert_true(pushed > 1000);
	reorder_deinit(&order);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(oldest_comes_first_and_nothing_at_or_above_w),
		cmocka_unit_test(equal_times_keep_the_order_of_arrival),
		cmocka_unit_test(many_in_any_order_come_out_sorted),
		cmocka_unit_test(records_of_many_cpus_come_out_whole_and_sorted),
		cmocka_unit_test(full_buffer_takes_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
