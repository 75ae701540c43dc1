/* SPDX-License-Identifier: Apache-2.0 */
/* test_accounting - each report balances, and their sum is the whole recording, whichever
 * program died */

#include "tests/unit/cli/check.h"

#include "cli/accounting.h"

static struct accounting accounting;
static struct tm_counts counts, whole, rest;
static struct tm_result result;
static struct accounting_balance balance;

/* --- one report --- */

static int begin_report(void **state)
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
	accounting_balance_make(&balance, &counts, &result, ACCOUNTING_NONE_DIED);
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
	accounting_balance_make(&balance, &counts, &result, ACCOUNTING_NONE_DIED);
	assert_int_equal(balance.difference, 1);
	result.exported = 87;
	accounting_balance_make(&balance, &counts, &result, ACCOUNTING_NONE_DIED);
	assert_int_equal(balance.difference, -2);
}

static void dead_symbolizer_exported_nothing(void **state)
{
	accounting_balance_make(&balance, &counts, &result, ACCOUNTING_SYMBOLIZER_DIED);
	assert_int_equal(balance.exported, 0);
	assert_int_equal(balance.drops[TM_DROP_RING_FULL], 10);
	assert_int_equal(balance.drops[TM_DROP_MEMORY], 0);
	assert_int_equal(balance.drops[TM_DROP_SYMBOLIZER_DIED], 90);
	assert_int_equal(balance.dropped, 100);
	assert_int_equal(balance.difference, 0);
}

static void dead_collector_loses_what_it_had_not_handed_over(void **state)
{
	result.exported = 60;
	accounting_balance_make(&balance, &counts, &result, ACCOUNTING_COLLECTOR_DIED);
	assert_int_equal(balance.taken, 100);
	assert_int_equal(balance.drops[TM_DROP_COLLECTOR_DIED], 25);
	assert_int_equal(balance.difference, 0);
}

static void dead_collector_had_handed_over_more_than_it_had_counted(void **state)
{
	result.exported = 120;
	accounting_balance_make(&balance, &counts, &result, ACCOUNTING_COLLECTOR_DIED);
	assert_int_equal(balance.taken, 135);
	assert_int_equal(balance.drops[TM_DROP_COLLECTOR_DIED], 0);
	assert_int_equal(balance.difference, 0);
}

static void more_hits_than_owed_is_nothing_lost(void **state)
{
	counts.hits = 151;
	accounting_balance_make(&balance, &counts, &result, ACCOUNTING_NONE_DIED);
	assert_int_equal(balance.not_run, 0);
}

/* --- all reports --- */

static int begin_recording(void **state)
{
	accounting = (struct accounting){0};
	whole = (struct tm_counts){.taken = 100, .hits = 140, .owed = 150, .cpus = 2};
	whole.drops[TM_DROP_RING_FULL] = 10;
	return 0;
}

/* One report of @exported samples and @lost that the symbolizer itself dropped. */
static void store(const struct tm_counts *taken, uint64_t exported, uint64_t lost)
{
	result = (struct tm_result){.exported = exported};
	result.drops[TM_DROP_MEMORY] = lost;
	accounting_balance_make(&balance, taken, &result, ACCOUNTING_NONE_DIED);
	accounting_add(&accounting, taken, &result, &balance);
}

static void without_a_report_the_rest_is_the_whole(void **state)
{
	accounting_rest(&accounting, &whole, &rest);
	assert_memory_equal(&rest, &whole, sizeof(rest));
}

static void reports_and_the_rest_are_the_whole(void **state)
{
	struct tm_counts first = {.taken = 40, .hits = 60, .owed = 61, .cpus = 2};

	first.drops[TM_DROP_RING_FULL] = 4;
	store(&first, 35, 1);
	assert_int_equal(balance.difference, 0);
	accounting_rest(&accounting, &whole, &rest);
	assert_int_equal(rest.taken, 60);
	assert_int_equal(rest.drops[TM_DROP_RING_FULL], 6);
	assert_int_equal(rest.cpus, 2);
	store(&rest, 54, 0);
	assert_int_equal(balance.difference, 0);
	assert_int_equal(accounting.reports, 2);
	assert_int_equal(accounting.taken, 100);
	assert_int_equal(accounting.exported, 89);
	assert_int_equal(accounting.dropped, 11);
	assert_int_equal(accounting.not_run, 10);
}

/*
 * 40 reported, 30 handed over and not reported, then it dies; 20 more come from the next
 * symbolizer.
 */
static void only_what_a_dead_symbolizer_had_not_reported_is_lost_with_it(void **state)
{
	struct tm_counts first = {.taken = 40};

	whole.drops[TM_DROP_RING_FULL] = 0;
	store(&first, 38, 2);
	accounting_on_death(&accounting);
	accounting_baseline(&accounting, &rest);
	assert_int_equal(rest.drops[TM_DROP_SYMBOLIZER_DIED], 40);
	assert_int_equal(rest.taken, 40);
	whole.taken = 90;
	whole.drops[TM_DROP_SYMBOLIZER_DIED] = 70; /* all samples that were handed over */
	accounting_rest(&accounting, &whole, &rest);
	assert_int_equal(rest.drops[TM_DROP_SYMBOLIZER_DIED], 30);
	store(&rest, 20, 0);
	assert_int_equal(balance.difference, 0);
	assert_int_equal(accounting.taken, 90);
	assert_int_equal(accounting.exported, 58);
	assert_int_equal(accounting.dropped, 32);
	/* the second symbolizer dies as well: 20 samples were reported, 5 were not */
	accounting_on_death(&accounting);
	whole.taken = 95;
	whole.drops[TM_DROP_SYMBOLIZER_DIED] = 95;
	accounting_rest(&accounting, &whole, &rest);
	assert_int_equal(rest.taken, 5);
	assert_int_equal(rest.drops[TM_DROP_SYMBOLIZER_DIED], 5);
}

static void dead_symbolizer_without_a_report_loses_all_samples(void **state)
{
	accounting_on_death(&accounting);
	whole.drops[TM_DROP_SYMBOLIZER_DIED] = 30;
	accounting_rest(&accounting, &whole, &rest);
	assert_int_equal(rest.drops[TM_DROP_SYMBOLIZER_DIED], 30);
}

static void symbolizer_that_reports_too_much_shows_as_a_difference(void **state)
{
	struct tm_counts lie = {.taken = 1000};

	store(&lie, 1000, 0);
	accounting_rest(&accounting, &whole, &rest);
	assert_int_equal(rest.taken, 0);
	result = (struct tm_result){.exported = 50};
	accounting_balance_make(&balance, &rest, &result, ACCOUNTING_NONE_DIED);
	assert_int_not_equal(balance.difference, 0);
}

static void states_are_not_summed_up(void **state)
{
	struct tm_counts first = {
		.cpus = 2, .lag_max_ns = 9, .attached = 1, .files_known = 7, .tables = 8};

	store(&first, 0, 0);
	whole.lag_max_ns = 11;
	whole.attached = 2;
	whole.files_known = 3;
	whole.tables = 2;
	accounting_rest(&accounting, &whole, &rest);
	assert_int_equal(rest.cpus, 2);
	assert_int_equal(rest.lag_max_ns, 11);
	assert_int_equal(rest.attached, 2);
	assert_int_equal(rest.files_known, 3);
	assert_int_equal(rest.tables, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(both_alive_balance_by_themselves, begin_report),
		cmocka_unit_test_setup(missing_sample_shows_as_difference, begin_report),
		cmocka_unit_test_setup(dead_symbolizer_exported_nothing, begin_report),
		cmocka_unit_test_setup(dead_collector_loses_what_it_had_not_handed_over,
				       begin_report),
		cmocka_unit_test_setup(dead_collector_had_handed_over_more_than_it_had_counted,
				       begin_report),
		cmocka_unit_test_setup(more_hits_than_owed_is_nothing_lost, begin_report),
		cmocka_unit_test_setup(without_a_report_the_rest_is_the_whole, begin_recording),
		cmocka_unit_test_setup(reports_and_the_rest_are_the_whole, begin_recording),
		cmocka_unit_test_setup(only_what_a_dead_symbolizer_had_not_reported_is_lost_with_it,
				       begin_recording),
		cmocka_unit_test_setup(dead_symbolizer_without_a_report_loses_all_samples,
				       begin_recording),
		cmocka_unit_test_setup(symbolizer_that_reports_too_much_shows_as_a_difference,
				       begin_recording),
		cmocka_unit_test_setup(states_are_not_summed_up, begin_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
