/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_retry - which answers are tried again, how long the waits are, what Retry-After asks for
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>

#include "symbolizer/exporter/retry.h"

#define NOW     1000000000 /* 2001-09-09 01:46:40 UTC */
#define CAP     120000u
#define NO_WAIT 1u /* no answer of retry_after_ms */

static void only_four_statuses_are_tried_again(void **state)
{
	for (long status = -1; status < 700; status++)
		assert_int_equal(retry_is_allowed(status),
				 status == 429 || status == 502 || status == 503 || status == 504);
}

static void waits_grow_by_half_up_to_the_cap(void **state)
{
	const uint64_t intervals[] = {5000, 7500, 11250, 16875, 25312, 30000, 30000};
	struct retry retry = {.times = RETRY_TIMES_DEFAULT};

	for (unsigned i = 0; i < sizeof(intervals) / sizeof(intervals[0]); i++) {
		struct retry least = retry, most = retry;
		uint64_t longest = intervals[i] * 3 / 2 - 1;

		assert_int_equal(retry_wait_ms(&least, 0), intervals[i] / 2);
		assert_in_range(retry_wait_ms(&most, UINT32_MAX),
				longest < 30000 ? longest - 1 : 30000,
				longest + 1 < 30000 ? longest + 1 : 30000);
		assert_in_range(retry_wait_ms(&retry, UINT32_MAX / 2), intervals[i] - 1,
				intervals[i]);
		assert_int_equal(retry.interval_ms, intervals[i]);
	}
	retry_reset(&retry);
	assert_int_equal(retry_wait_ms(&retry, 0), 2500);
}

static void the_longest_waits_do_not_overflow(void **state)
{
	struct retry retry = {.times = {RETRY_MS_MAX, RETRY_MS_MAX, RETRY_MS_MAX, RETRY_MS_MAX}};

	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(retry_wait_ms(&retry, UINT32_MAX), RETRY_MS_MAX);
}

static uint64_t asked(const char *text, uint64_t cap_ms)
{
	uint64_t wait = NO_WAIT;
	int r = retry_after_ms(text, NOW, cap_ms, &wait);

	assert_true(r == 0 || r == -EINVAL);
	assert_true((r == -EINVAL) == (wait == NO_WAIT)); /* written only on success */
	return wait;
}

static void seconds_are_followed_up_to_the_cap(void **state)
{
	assert_int_equal(asked("0", CAP), 0);
	assert_int_equal(asked("1", CAP), 1000);
	assert_int_equal(asked("007", CAP), 7000);
	assert_int_equal(asked("120", CAP), CAP);
	assert_int_equal(asked("121", CAP), CAP);
	assert_int_equal(asked("4294967296", CAP), CAP);
	assert_int_equal(asked("18446744073709551615", CAP), CAP);
	assert_int_equal(asked("18446744073709551616", CAP), CAP);
	assert_int_equal(asked("99999999999999999999999999999999", CAP), CAP);
	assert_int_equal(asked("5", 300), 300);
}

static void dates_are_followed_up_to_the_cap(void **state)
{
	assert_int_equal(asked("Sun, 09 Sep 2001 01:46:41 GMT", CAP), 1000);
	assert_int_equal(asked("Sun, 09 Sep 2001 01:47:40 GMT", CAP), 60000);
	assert_int_equal(asked("Sunday, 09-Sep-01 01:47:40 GMT", CAP), 60000);
	assert_int_equal(asked("Sun Sep  9 01:47:40 2001", CAP), 60000);
	assert_int_equal(asked("Sun, 09 Sep 2001 01:48:40 GMT", CAP), CAP);
	assert_int_equal(asked("Fri, 31 Dec 9999 23:59:59 GMT", CAP), CAP);
}

static void a_date_that_has_passed_asks_for_no_wait(void **state)
{
	assert_int_equal(asked("Sun, 09 Sep 2001 01:46:40 GMT", CAP), 0);
	assert_int_equal(asked("Sun, 09 Sep 2001 01:46:39 GMT", CAP), 0);
	assert_int_equal(asked("Thu, 01 Jan 1970 00:00:00 GMT", CAP), 0);
}

static void everything_else_is_neither(void **state)
{
	const char *const texts[] = {
		"",        " ",    "-1",   "+1",   "1.5",
		"1e3",     "0x10", "soon", "12 s", "Sun, 99 Sep 2001 01:46:40 GMT",
		"\xff\xfe"};

	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (asked(texts[i], CAP) != NO_WAIT)
			fail_msg("'%s' was taken", texts[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_four_statuses_are_tried_again),
		cmocka_unit_test(waits_grow_by_half_up_to_the_cap),
		cmocka_unit_test(the_longest_waits_do_not_overflow),
		cmocka_unit_test(seconds_are_followed_up_to_the_cap),
		cmocka_unit_test(dates_are_followed_up_to_the_cap),
		cmocka_unit_test(a_date_that_has_passed_asks_for_no_wait),
		cmocka_unit_test(everything_else_is_neither),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
