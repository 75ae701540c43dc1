/* SPDX-License-Identifier: Apache-2.0 */
/* test_own_cost - reads the host's idle time from the text of /proc/stat */

#include "tests/unit/cli/check.h"

#include "cli/own_cost.h"

static uint64_t ns;

static void idle_and_waiting_time_is_idle(void **state)
{
	assert_int_equal(
		own_cost_parse_idle("cpu  10 20 30 400 50 6 7 8 0 0\ncpu0 1 2 3 4 5\n", 100, &ns),
		0);
	assert_int_equal(ns, 4500000000ull);
	assert_int_equal(own_cost_parse_idle("cpu 1 2 3 4 5", 1000, &ns), 0);
	assert_int_equal(ns, 9000000ull);
}

static void malformed_text_gives_no_idle_time(void **state)
{
	ns = 7;
	assert_true(own_cost_parse_idle("", 100, &ns) < 0);
	assert_true(own_cost_parse_idle("cpu  10 20 30 400\n", 100, &ns) < 0);
	assert_true(own_cost_parse_idle("intr 10 20 30 400 50", 100, &ns) < 0);
	assert_true(own_cost_parse_idle("cpu 1 2 3 4 5", 0, &ns) < 0);
	assert_int_equal(ns, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(idle_and_waiting_time_is_idle),
		cmocka_unit_test(malformed_text_gives_no_idle_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
