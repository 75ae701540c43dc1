/* SPDX-License-Identifier: Apache-2.0 */
/* test_accounting - reports in between and the last one add up to the whole, also over a death */

#include "tests/unit/cli/check.h"

#include "cli/accounting.h"

static struct accounting ledger;
static struct tm_counts whole, rest;
static struct tm_result result;
static struct balance balance;

static int nothing_yet(void **state)
{
	ledger = (struct accounting){0};
	whole = (struct tm_counts){.taken = 100, .hits = 140, .owed = 150, .cpus = 2};
	whole.drops[TM_DROP_RING_FULL] = 10;
	return 0;
}

/* One report of @exported samples and @lost that the symbolizer itself dropped. */
static void tell(const struct tm_counts *counts, uint64_t exported, uint64_t lost)
{
	result = (struct tm_result){.exported = exported};
	result.drops[TM_DROP_MEMORY] = lost;
	balance_make(&balance, counts, &result, BALANCE_ALIVE);
	accounting_add(&ledger, counts, &result, &balance);
}

static void empty_ledger_leaves_the_whole(void **state)
{
	accounting_rest(&ledger, &whole, &rest);
	assert_memory_equal(&rest, &whole, sizeof(rest));
}

static void reports_and_the_rest_are_the_whole(void **state)
{
	struct tm_counts first = {.taken = 40, .hits = 60, .owed = 61, .cpus = 2};

	first.drops[TM_DROP_RING_FULL] = 4;
	tell(&first, 35, 1);
	assert_int_equal(balance.difference, 0);
	accounting_rest(&ledger, &whole, &rest);
	assert_int_equal(rest.taken, 60);
	assert_int_equal(rest.drops[TM_DROP_RING_FULL], 6);
	assert_int_equal(rest.cpus, 2);
	tell(&rest, 54, 0);
	assert_int_equal(balance.difference, 0);
	assert_int_equal(ledger.reports, 2);
	assert_int_equal(ledger.taken, 100);
	assert_int_equal(ledger.exported, 89);
	assert_int_equal(ledger.dropped, 11);
	assert_int_equal(ledger.not_run, 10);
}

/* 40 reported, 30 handed over and not reported, then it dies; 20 more come from the next one. */
static void only_what_a_dead_symbolizer_had_not_reported_is_lost_with_it(void **state)
{
	struct tm_counts first = {.taken = 40};

	whole.drops[TM_DROP_RING_FULL] = 0;
	tell(&first, 38, 2);
	accounting_on_death(&ledger);
	accounting_baseline(&ledger, &rest);
	assert_int_equal(rest.drops[TM_DROP_SYMBOLIZER_DIED], 40);
	assert_int_equal(rest.taken, 40);
	whole.taken = 90;
	whole.drops[TM_DROP_SYMBOLIZER_DIED] = 70; /* all that it had been handed */
	accounting_rest(&ledger, &whole, &rest);
	assert_int_equal(rest.drops[TM_DROP_SYMBOLIZER_DIED], 30);
	tell(&rest, 20, 0);
	assert_int_equal(balance.difference, 0);
	assert_int_equal(ledger.taken, 90);
	assert_int_equal(ledger.exported, 58);
	assert_int_equal(ledger.dropped, 32);
	/* and the second one dies as well, its 20 reported, 5 not */
	accounting_on_death(&ledger);
	whole.taken = 95;
	whole.drops[TM_DROP_SYMBOLIZER_DIED] = 95;
	accounting_rest(&ledger, &whole, &rest);
	assert_int_equal(rest.taken, 5);
	assert_int_equal(rest.drops[TM_DROP_SYMBOLIZER_DIED], 5);
}

static void dead_one_that_reported_nothing_takes_all_with_it(void **state)
{
	accounting_on_death(&ledger);
	whole.drops[TM_DROP_SYMBOLIZER_DIED] = 30;
	accounting_rest(&ledger, &whole, &rest);
	assert_int_equal(rest.drops[TM_DROP_SYMBOLIZER_DIED], 30);
}

static void symbolizer_that_told_too_much_shows_as_a_difference(void **state)
{
	struct tm_counts lie = {.taken = 1000};

	tell(&lie, 1000, 0);
	accounting_rest(&ledger, &whole, &rest);
	assert_int_equal(rest.taken, 0);
	result = (struct tm_result){.exported = 50};
	balance_make(&balance, &rest, &result, BALANCE_ALIVE);
	assert_int_not_equal(balance.difference, 0);
}

static void states_are_not_summed_up(void **state)
{
	struct tm_counts first = {
		.cpus = 2, .lag_max_ns = 9, .attached = 1, .files_known = 7, .tables = 8};

	tell(&first, 0, 0);
	whole.lag_max_ns = 11;
	whole.attached = 2;
	whole.files_known = 3;
	whole.tables = 2;
	accounting_rest(&ledger, &whole, &rest);
	assert_int_equal(rest.cpus, 2);
	assert_int_equal(rest.lag_max_ns, 11);
	assert_int_equal(rest.attached, 2);
	assert_int_equal(rest.files_known, 3);
	assert_int_equal(rest.tables, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(empty_ledger_leaves_the_whole, nothing_yet),
		cmocka_unit_test_setup(reports_and_the_rest_are_the_whole, nothing_yet),
		cmocka_unit_test_setup(only_what_a_dead_symbolizer_had_not_reported_is_lost_with_it,
				       nothing_yet),
		cmocka_unit_test_setup(dead_one_that_reported_nothing_takes_all_with_it,
				       nothing_yet),
		cmocka_unit_test_setup(symbolizer_that_told_too_much_shows_as_a_difference,
				       nothing_yet),
		cmocka_unit_test_setup(states_are_not_summed_up, nothing_yet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
