/* SPDX-License-Identifier: Apache-2.0 */
/* test_restart_limit - a program is started again for ever, but not too often at a time */

#include "tests/unit/cli/check.h"

#include "cli/restart_limit.h"

#define MINUTE_NS RESTART_LIMIT_WITHIN_NS

static void no_more_than_five_start_within_a_minute(void **state)
{
	struct restart_limit limit = {0};
	uint64_t now_ns = 5000;
	unsigned i;

	for (i = 0; i < RESTART_LIMIT_MAX; i++) {
		assert_int_equal(restart_limit_next_ns(&limit), 0);
		assert_true(restart_limit_allows(&limit, now_ns + i));
	}
	assert_int_equal(restart_limit_next_ns(&limit), now_ns + MINUTE_NS);
	assert_false(restart_limit_allows(&limit, now_ns + i));
	assert_false(restart_limit_allows(&limit, now_ns + MINUTE_NS - 1));
	assert_true(restart_limit_allows(&limit, now_ns + MINUTE_NS));
	assert_int_equal(restart_limit_next_ns(&limit), now_ns + MINUTE_NS + 1);
	assert_false(restart_limit_allows(&limit, now_ns + MINUTE_NS));
	assert_true(restart_limit_allows(&limit, now_ns + MINUTE_NS + 1));
	assert_int_equal(limit.started, RESTART_LIMIT_MAX + 2);
	assert_int_equal(limit.refused, 3);
}

static void slow_deaths_are_followed_for_ever(void **state)
{
	struct restart_limit limit = {0};
	uint64_t now_ns = 5000;

	for (unsigned i = 0; i < 100; i++, now_ns += MINUTE_NS / RESTART_LIMIT_MAX)
		assert_true(restart_limit_allows(&limit, now_ns));
	assert_int_equal(limit.refused, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_more_than_five_start_within_a_minute),
		cmocka_unit_test(slow_deaths_are_followed_for_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
