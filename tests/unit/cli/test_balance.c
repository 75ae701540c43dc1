/* SPDX-License-Identifier: Apache-2.0 */
/* test_balance - taken = exported + dropped, whoever died */

#include "tests/unit/cli/check.h"

#include "cli/balance.h"

static struct tm_counts counts;
static struct tm_result result;
static struct balance balance;

static int nothing_yet(void **state)
{
	counts = (struct tm_counts){.taken = 100, .hits = 140, .owed = 150};
	counts.drops[TM_DROP_RING_FULL] = 10;
	result = (struct tm_result){.exported = 85};
	result.drops[TM_DROP_MEMORY] = 5;
	result.truncated[TM_STOP_NONE] = 80;
	result.truncated[TM_STOP_FRAME_POINTER] = 4;
	result.truncated[TM_STOP_EXEC] = 1;
	return 0;
}

static void both_alive_balance_by_themselves(void **state)
{
	balance_make(&balance, &counts, &result, BALANCE_ALIVE);
	assert_int_equal(balance.taken, 100);
	assert_int_equal(balance.exported, 85);
	assert_int_equal(balance.dropped, 15);
	assert_int_equal(balance.cut, 5);
	assert_int_equal(balance.not_run, 10);
	assert_int_equal(balance.difference, 0);
}

static void missing_sample_shows_as_difference(void **state)
{
	result.exported = 84;
	balance_make(&balance, &counts, &result, BALANCE_ALIVE);
	assert_int_equal(balance.difference, 1);
	result.exported = 87;
	balance_make(&balance, &counts, &result, BALANCE_ALIVE);
	assert_int_equal(balance.difference, -2);
}

static void dead_symbolizer_exported_nothing(void **state)
{
	balance_make(&balance, &counts, &result, BALANCE_SYMBOLIZER_DIED);
	assert_int_equal(balance.exported, 0);
	assert_int_equal(balance.drops[TM_DROP_RING_FULL], 10);
	assert_int_equal(balance.drops[TM_DROP_MEMORY], 0);
	assert_int_equal(balance.drops[TM_DROP_SYMBOLIZER_DIED], 90);
	assert_int_equal(balance.dropped, 100);
	assert_int_equal(balance.difference, 0);
}

static void dead_collector_kept_what_it_had_not_handed_over(void **state)
{
	result.exported = 60;
	balance_make(&balance, &counts, &result, BALANCE_COLLECTOR_DIED);
	assert_int_equal(balance.taken, 100);
	assert_int_equal(balance.drops[TM_DROP_COLLECTOR_DIED], 25);
	assert_int_equal(balance.difference, 0);
}

static void dead_collector_had_handed_over_more_than_it_had_told(void **state)
{
	result.exported = 120;
	balance_make(&balance, &counts, &result, BALANCE_COLLECTOR_DIED);
	assert_int_equal(balance.taken, 135);
	assert_int_equal(balance.drops[TM_DROP_COLLECTOR_DIED], 0);
	assert_int_equal(balance.difference, 0);
}

static void more_hits_than_owed_is_nothing_lost(void **state)
{
	counts.hits = 151;
	balance_make(&balance, &counts, &result, BALANCE_ALIVE);
	assert_int_equal(balance.not_run, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(both_alive_balance_by_themselves, nothing_yet),
		cmocka_unit_test_setup(missing_sample_shows_as_difference, nothing_yet),
		cmocka_unit_test_setup(dead_symbolizer_exported_nothing, nothing_yet),
		cmocka_unit_test_setup(dead_collector_kept_what_it_had_not_handed_over,
				       nothing_yet),
		cmocka_unit_test_setup(dead_collector_had_handed_over_more_than_it_had_told,
				       nothing_yet),
		cmocka_unit_test_setup(more_hits_than_owed_is_nothing_lost, nothing_yet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
