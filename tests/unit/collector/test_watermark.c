/* SPDX-License-Identifier: Apache-2.0 */
/* test_watermark - W is the clock minus the guard, or the oldest mark if that is older */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/watermark.h"

#define GUARD (WATERMARK_GUARD_US * 1000ull)

static void without_marks_the_watermark_follows_the_clock(void **state)
{
	const uint64_t marks[3] = {0, 0, 0};

	assert_int_equal(watermark_rule(1000000000, marks, 3), 1000000000 - GUARD);
}

static void oldest_mark_limits_the_watermark(void **state)
{
	const uint64_t marks[4] = {0, 700, 500, 900};

	assert_int_equal(watermark_rule(1000000000, marks, 4), 500);
}

static void recent_mark_does_not_raise_the_watermark(void **state)
{
	const uint64_t marks[1] = {2000000000};

	assert_int_equal(watermark_rule(1000000000, marks, 1), 1000000000 - GUARD);
}

static void clock_below_the_guard_gives_zero(void **state)
{
	assert_int_equal(watermark_rule(GUARD, NULL, 0), 0);
	assert_int_equal(watermark_rule(GUARD - 1, NULL, 0), 0);
	assert_int_equal(watermark_rule(0, NULL, 0), 0);
}

static void every_level_of_every_cpu_is_read(void **state)
{
	for (unsigned cpu = 0; cpu < 3; cpu++)
		for (unsigned level = 0; level < TM_LEVELS_N; level++) {
			struct tm_cpu_slot slots[3] = {0};

			slots[cpu].level[level].ktime = 17;
			assert_int_equal(watermark_read(slots, 3), 17);
		}
}

static void no_cpu_beyond_the_count_is_read(void **state)
{
	struct tm_cpu_slot slots[3] = {0};

	slots[2].level[1].ktime = 99;
	assert_int_equal(watermark_read(slots, 3), 99);
	assert_true(watermark_read(slots, 2) > 99);
}

static void watermark_of_an_idle_host_never_falls(void **state)
{
	const struct tm_cpu_slot slot = {0};
	uint64_t before = 0;

	for (int i = 0; i < 1000; i++) {
		uint64_t w = watermark_read(&slot, 1);

		assert_true(w >= before);
		before = w;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_marks_the_watermark_follows_the_clock),
		cmocka_unit_test(oldest_mark_limits_the_watermark),
		cmocka_unit_test(recent_mark_does_not_raise_the_watermark),
		cmocka_unit_test(clock_below_the_guard_gives_zero),
		cmocka_unit_test(every_level_of_every_cpu_is_read),
		cmocka_unit_test(no_cpu_beyond_the_count_is_read),
		cmocka_unit_test(watermark_of_an_idle_host_never_falls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
