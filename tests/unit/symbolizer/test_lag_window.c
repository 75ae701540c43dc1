/* SPDX-License-Identifier: Apache-2.0 */
/* test_lag_window - one bad second of a service is forgotten after an hour, and not earlier than
 * after half of one */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/lag_window.h"

#define HALF (LAG_WINDOW_MS / 2)

static struct lag_window window;
static uint64_t counted; /* lags of the last bucket so far */

static int begin(void **state)
{
	window = (struct lag_window){0};
	return 0;
}

/* Return: how many of these the window has. */
static uint64_t seen(uint64_t now_ms)
{
	uint64_t lags[TM_HISTOGRAM_BUCKETS] = {[TM_HISTOGRAM_BUCKETS - 1] = counted};

	lag_window_apply(&window, lags, now_ms);
	return lags[TM_HISTOGRAM_BUCKETS - 1];
}

static void what_was_before_the_beginning_is_not_seen(void **state)
{
	counted = 500;
	assert_int_equal(seen(1000), 0);
	counted += 3;
	assert_int_equal(seen(1001), 3);
}

static void lag_is_seen_for_half_an_hour_and_not_after_an_hour(void **state)
{
	uint64_t now_ms = 1000;

	assert_int_equal(seen(now_ms), 0);
	for (unsigned i = 0; i < 5; i++) {
		counted += 7;
		assert_true(seen(now_ms + 1) >= 7);
		assert_int_equal(seen(now_ms + HALF - 1), 7);
		assert_int_equal(seen(now_ms + HALF), 7); /* the window turns */
		assert_int_equal(seen(now_ms + LAG_WINDOW_MS - 1), 7);
		assert_int_equal(seen(now_ms + LAG_WINDOW_MS), 0);
		now_ms += LAG_WINDOW_MS;
	}
}

static void counts_that_began_anew_are_no_negative_ones(void **state)
{
	counted = 500;
	assert_int_equal(seen(1000), 0);
	counted = 2;
	assert_int_equal(seen(1001), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(what_was_before_the_beginning_is_not_seen, begin),
		cmocka_unit_test_setup(lag_is_seen_for_half_an_hour_and_not_after_an_hour, begin),
		cmocka_unit_test_setup(counts_that_began_anew_are_no_negative_ones, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
