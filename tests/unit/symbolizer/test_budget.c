/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_budget - what fits is charged, to the limits of the budget, of its share and of the total
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbolizer/base/budget.h"

#define TOTAL_BYTES (64ull << 20)

static struct budget_total total;
static struct budget workers, profile;

static int begin(void **state)
{
	total = (struct budget_total)BUDGET_TOTAL_INIT(TOTAL_BYTES);
	budget_divide(&total);
	workers = (struct budget){.limit = UINT64_MAX, .total = &total, .share = TM_MEMORY_WORKERS};
	profile = (struct budget){.limit = UINT64_MAX, .total = &total, .share = TM_MEMORY_PROFILE};
	return 0;
}

static void as_much_is_taken_as_the_share_has(void **state)
{
	const uint64_t limit = budget_limit(&total, TM_MEMORY_WORKERS);
	uint64_t taken;

	assert_int_equal(budget_take_some(&workers, 1, 10, &taken), 0);
	assert_int_equal(taken, 10);
	assert_int_equal(budget_take_some(&workers, 1, UINT64_MAX, &taken), 0);
	assert_int_equal(taken, limit - 10);
	assert_int_equal(budget_take_some(&workers, 1, 1, &taken), BUDGET_E_SPENT);
	assert_int_equal(workers.used, limit);
	assert_int_equal(total.parts[TM_MEMORY_WORKERS].refused, 1);
	budget_give(&workers, limit);
	assert_int_equal(total.used, 0);
}

static void what_others_have_reserved_is_left_to_them(void **state)
{
	const uint64_t limit = budget_limit(&total, TM_MEMORY_PROFILE);
	struct budget order = {.limit = UINT64_MAX, .total = &total, .share = TM_MEMORY_ORDER};
	uint64_t taken, left = TOTAL_BYTES - total.committed;

	assert_int_equal(budget_take(&profile, limit), 0);
	left -= limit - total.parts[TM_MEMORY_PROFILE].reserved;
	assert_int_equal(budget_take_some(&workers, 1, UINT64_MAX, &taken), 0);
	assert_int_equal(taken, total.parts[TM_MEMORY_WORKERS].reserved + left);
	assert_int_equal(total.committed, TOTAL_BYTES);
	assert_int_equal(budget_take(&order, total.parts[TM_MEMORY_ORDER].reserved), 0);
	assert_int_equal(budget_take(&order, 1), BUDGET_E_SPENT);
}

static void less_than_the_least_is_not_taken(void **state)
{
	uint64_t taken;

	workers.limit = 100;
	assert_int_equal(budget_take_some(&workers, 101, 200, &taken), BUDGET_E_SPENT);
	assert_int_equal(workers.used, 0);
	assert_int_equal(budget_take_some(&workers, 50, 200, &taken), 0);
	assert_int_equal(taken, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(as_much_is_taken_as_the_share_has, begin),
		cmocka_unit_test_setup(what_others_have_reserved_is_left_to_them, begin),
		cmocka_unit_test_setup(less_than_the_least_is_not_taken, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
