/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_accounting - taken = exported + drops, however a recording ends
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/profile/accounting.h"

static uint64_t sum(const struct accounting *balance, uint64_t exported)
{
	uint64_t sum = exported;

	for (int i = 0; i < TM_DROP_N; i++)
		sum += balance->drops[i];
	return sum;
}

static const struct tm_counts counts = {
	.hits = 200,
	.owed = 210,
	.taken = 100,
	.pushed = 90,
	.drops = {[TM_DROP_RING_FULL] = 7, [TM_DROP_SHARED_FULL] = 3},
};

static void clean_end_balances(void **state)
{
	struct accounting_read read = {.samples = 90, .memory_drops = 5, .exported = 85};
	struct accounting balance;

	accounting_close(&balance, &counts, &read);
	assert_int_equal(balance.unexplained, 0);
	assert_int_equal(sum(&balance, 85), balance.taken);
	assert_int_equal(balance.own[TM_DROP_MEMORY], 5);
	assert_int_equal(balance.own[TM_DROP_RING_FULL], 0);
	assert_int_equal(balance.drops[TM_DROP_RING_FULL], 7);
	assert_int_equal(balance.not_run, 10);
}

static void bad_records_are_those_pushed_and_not_read(void **state)
{
	struct accounting_read read = {.samples = 88, .bad_records = 4, .exported = 88};
	struct accounting balance;

	accounting_close(&balance, &counts, &read);
	assert_int_equal(balance.own[TM_DROP_BAD_RECORD], 2);
	assert_int_equal(balance.unexplained, 0);
	read = (struct accounting_read){.samples = 30, .exported = 30, .broken = 1};
	accounting_close(&balance, &counts, &read);
	assert_int_equal(balance.own[TM_DROP_BAD_RECORD], 60);
	assert_int_equal(balance.unexplained, 0);
}

static void unexplained_difference_is_counted(void **state)
{
	struct accounting_read read = {.samples = 89, .exported = 89};
	struct accounting balance;

	accounting_close(&balance, &counts, &read);
	assert_int_equal(balance.unexplained, 1);
	read = (struct accounting_read){.samples = 91, .exported = 91};
	accounting_close(&balance, &counts, &read);
	assert_int_equal(balance.unexplained, 1);
}

static void dead_collector_lost_the_rest(void **state)
{
	struct accounting_read read = {.samples = 80, .exported = 80, .collector_died = 1};
	struct accounting balance;

	accounting_close(&balance, &counts, &read);
	assert_int_equal(balance.own[TM_DROP_COLLECTOR_DIED], 10);
	assert_int_equal(sum(&balance, 80), balance.taken);
	/* It died between its last records and its last counts. */
	read.samples = read.exported = 95;
	accounting_close(&balance, &counts, &read);
	assert_int_equal(balance.own[TM_DROP_COLLECTOR_DIED], 0);
	assert_int_equal(balance.taken, 105);
	assert_int_equal(sum(&balance, 95), balance.taken);
}

static void more_hits_than_owed_give_no_negative_number(void **state)
{
	struct tm_counts odd = counts;
	struct accounting_read read = {.samples = 90, .exported = 90};
	struct accounting balance;

	odd.owed = 190;
	accounting_close(&balance, &odd, &read);
	assert_int_equal(balance.not_run, 0);
}

static void pending_samples_belong_to_the_next_report(void **state)
{
	struct accounting_read read = {.samples = 90, .memory_drops = 5, .exported = 60};
	struct tm_counts first = counts, second = counts, before = {0};
	struct accounting reported = {0}, balance;

	accounting_so_far(&balance, &first, &read); /* 25 wait in the reorder buffer */
	accounting_since(&balance, &reported);
	accounting_counts_since(&first, &before, &balance);
	assert_int_equal(balance.taken, 75);
	assert_int_equal(balance.unexplained, 0);
	assert_int_equal(sum(&balance, balance.exported), balance.taken);
	assert_int_equal(first.taken, 75);
	assert_int_equal(first.drops[TM_DROP_MEMORY], 0);
	assert_int_equal(first.drops[TM_DROP_RING_FULL], 7);
	assert_int_equal(first.owed - first.hits, 10);
	read.exported = 85;
	accounting_close(&balance, &second, &read);
	accounting_since(&balance, &reported);
	accounting_counts_since(&second, &counts, &balance);
	assert_int_equal(balance.taken, 25);
	assert_int_equal(balance.exported, 25);
	assert_int_equal(sum(&balance, balance.exported), balance.taken);
	assert_int_equal(balance.unexplained, 0);
	assert_int_equal(second.owed, second.hits);
	assert_int_equal(reported.taken, counts.taken);
}

static void count_that_decreases_is_reported_as_unexplained(void **state)
{
	struct accounting_read read = {.samples = 90, .exported = 90};
	struct tm_counts lie = counts;
	struct accounting reported = {0}, balance;

	accounting_so_far(&balance, &counts, &read);
	accounting_since(&balance, &reported);
	lie.drops[TM_DROP_RING_FULL] = 2;
	accounting_close(&balance, &lie, &read);
	accounting_since(&balance, &reported);
	assert_int_equal(balance.drops[TM_DROP_RING_FULL], 0);
	assert_int_equal(balance.unexplained, 0); /* in this interval nothing was taken or lost */
	lie.taken = 110;
	accounting_close(&balance, &lie, &read);
	accounting_since(&balance, &reported);
	assert_int_equal(balance.taken, 10);
	assert_int_equal(balance.unexplained, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clean_end_balances),
		cmocka_unit_test(bad_records_are_those_pushed_and_not_read),
		cmocka_unit_test(unexplained_difference_is_counted),
		cmocka_unit_test(dead_collector_lost_the_rest),
		cmocka_unit_test(more_hits_than_owed_give_no_negative_number),
		cmocka_unit_test(pending_samples_belong_to_the_next_report),
		cmocka_unit_test(count_that_decreases_is_reported_as_unexplained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
