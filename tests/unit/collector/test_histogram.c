/* SPDX-License-Identifier: Apache-2.0 */
/* test_histogram - a percentile is at least as large as the share of values that it states */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collector/histogram.h"

static int make(void **state)
{
	*state = calloc(1, sizeof(struct histogram));
	return *state == NULL;
}

static int unmake(void **state)
{
	free(*state);
	return 0;
}

static void empty_histogram_gives_zero(void **state)
{
	const struct histogram *lag = *state;

	assert_int_equal(histogram_p99(lag), 0);
	assert_int_equal(lag->max, 0);
}

static void largest_one_of_a_hundred_is_left_out(void **state)
{
	struct histogram *lag = *state;

	for (unsigned i = 0; i < 99; i++)
		histogram_add(lag, HISTOGRAM_STEP_NS - 1);
	histogram_add(lag, 5 * HISTOGRAM_STEP_NS);
	assert_int_equal(histogram_p99(lag), HISTOGRAM_STEP_NS);
	assert_int_equal(lag->max, 5 * HISTOGRAM_STEP_NS);
	histogram_add(lag, 5 * HISTOGRAM_STEP_NS);
	assert_int_equal(histogram_p99(lag), 5 * HISTOGRAM_STEP_NS);
}

static void percentile_is_never_too_small_nor_a_step_too_large(void **state)
{
	for (uint64_t ns = 1; ns < 1000000000; ns = ns + ns / 7 + 1) {
		struct histogram *lag = *state;

		*lag = (struct histogram){0};
		histogram_add(lag, ns);
		lag->max = UINT64_MAX;
		assert_true(histogram_p99(lag) >= ns);
		assert_true(histogram_p99(lag) - ns <= HISTOGRAM_STEP_NS);
	}
}

static void longest_one_stands_for_all_beyond_the_buckets(void **state)
{
	struct histogram *lag = *state;

	histogram_add(lag, 5000000000);
	histogram_add(lag, UINT64_MAX);
	assert_true(histogram_p99(lag) == UINT64_MAX);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(empty_histogram_gives_zero),
		CASE(largest_one_of_a_hundred_is_left_out),
		CASE(percentile_is_never_too_small_nor_a_step_too_large),
		CASE(longest_one_stands_for_all_beyond_the_buckets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
