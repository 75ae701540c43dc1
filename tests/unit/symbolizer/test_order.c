/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_order - released oldest first, never at or above W
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/order.h"
#include "tests/unit/symbolizer/make.h"

static void push(struct order *order, uint64_t ktime, uint32_t tgid)
{
	static union make_record record;

	make_exit(&record, ktime, tgid);
	assert_int_equal(order_push(order, &record.event), 0);
}

static uint64_t pop(struct order *order, uint64_t watermark, uint32_t *ret_tgid)
{
	struct tm_event *event = NULL;
	uint64_t ktime;

	if (order_pop(order, watermark, &event) == ORDER_E_EMPTY)
		return 0;
	ktime = event->ktime;
	*ret_tgid = event->tgid;
	free(event);
	return ktime;
}

static void oldest_goes_first_and_nothing_at_or_above_w(void **state)
{
	struct order order = {0};
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
	order_deinit(&order);
}

static void equal_times_keep_the_order_of_arrival(void **state)
{
	struct order order = {0};
	uint32_t tgid;

	for (uint32_t i = 1; i <= 100; i++)
		push(&order, 5, i);
	for (uint32_t i = 1; i <= 100; i++) {
		assert_int_equal(pop(&order, 6, &tgid), 5);
		assert_int_equal(tgid, i);
	}
	order_deinit(&order);
}

static void many_in_any_order_come_out_sorted(void **state)
{
	struct order order = {0};
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
	order_deinit(&order);
}

static void full_order_takes_no_more(void **state)
{
	static union make_record record;
	struct order order = {0};
	static const uint64_t words[TM_USER_FRAMES_MAX];
	uint32_t pushed = 0;

	make_sample(&record, 1, 1, "c", words, 0, TM_USER_FRAMES_MAX);
	while (!order_push(&order, &record.event))
		pushed++;
	assert_false(order_has_room(&order));
	assert_true(order.bytes <= ORDER_MAX_BYTES);
	assert_true(pushed > 1000);
	order_deinit(&order);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(oldest_goes_first_and_nothing_at_or_above_w),
		cmocka_unit_test(equal_times_keep_the_order_of_arrival),
		cmocka_unit_test(many_in_any_order_come_out_sorted),
		cmocka_unit_test(full_order_takes_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
