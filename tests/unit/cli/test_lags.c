/* SPDX-License-Identifier: Apache-2.0 */
/* test_lags - a percentile is at least as large as the share of lags that it states */

#include "tests/unit/cli/check.h"

#include "cli/lags.h"
#include "shared/histogram.h"

static struct tm_counts counts;

static int begin(void **state)
{
	counts = (struct tm_counts){0};
	return 0;
}

static void add(uint64_t ns)
{
	counts.lags[tm_histogram_bucket(ns)]++;
	counts.lag_max_ns = ns > counts.lag_max_ns ? ns : counts.lag_max_ns;
}

static void without_a_lag_there_is_no_largest_one(void **state)
{
	counts.lag_max_ns = 9; /* earlier */
	assert_int_equal(lags_p99_ns(&counts), 0);
	assert_int_equal(lags_max_ns(&counts), 0);
}

static void largest_one_of_a_hundred_is_left_out(void **state)
{
	for (unsigned i = 0; i < 99; i++)
		add(TM_HISTOGRAM_UNIT_NS - 1);
	add(5 * TM_HISTOGRAM_UNIT_NS);
	assert_int_equal(lags_p99_ns(&counts), TM_HISTOGRAM_UNIT_NS);
	assert_int_equal(lags_max_ns(&counts), 5 * TM_HISTOGRAM_UNIT_NS);
	add(5 * TM_HISTOGRAM_UNIT_NS);
	assert_int_equal(lags_p99_ns(&counts), 5 * TM_HISTOGRAM_UNIT_NS);
}

static void each_lag_is_rounded_up_by_a_quarter_at_most(void **state)
{
	for (uint64_t ns = 1; ns < 1790000000; ns += ns / 9 + 1) {
		(void)begin(state);
		add(ns);
		counts.lag_max_ns = UINT64_MAX;
		assert_true(lags_max_ns(&counts) > ns);
		assert_true(lags_max_ns(&counts) - ns <= TM_HISTOGRAM_UNIT_NS + ns / 4);
		assert_int_equal(lags_p99_ns(&counts), lags_max_ns(&counts));
	}
}

static void what_no_bucket_ends_is_the_largest_of_all(void **state)
{
	add(5000000000);
	add(UINT64_MAX);
	assert_true(lags_p99_ns(&counts) == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(without_a_lag_there_is_no_largest_one, begin),
		cmocka_unit_test_setup(largest_one_of_a_hundred_is_left_out, begin),
		cmocka_unit_test_setup(each_lag_is_rounded_up_by_a_quarter_at_most, begin),
		cmocka_unit_test_setup(what_no_bucket_ends_is_the_largest_of_all, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
