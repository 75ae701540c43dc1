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
	assert_int_equal(balance.of[ACCOUNTING_ON_CPU].taken, 100);
	assert_int_equal(balance.of[ACCOUNTING_ON_CPU].exported, 85);
	assert_int_equal(balance.of[ACCOUNTING_ON_CPU].dropped, 15);
	assert_int_equal(balance.cut, 5);
	assert_int_equal(balance.not_run, 10);
	assert_true(accounting_balances(&balance));
}

static void missing_sample_shows_as_difference(void **state)
{
	result.exported = 84;
	accounting_balance_make(&balance, &counts, &result, ACCOUNTING_NONE_DIED);
	assert_int_equal(accounting_difference(&balance.of[ACCOUNTING_ON_CPU]), 1);
	result.exported = 87;
	accounting_balance_make(&balance, &counts, &result, ACCOUNTING_NONE_DIED);
	assert_int_equal(accounting_difference(&balance.of[ACCOUNTING_ON_CPU]), -2);
}

static void dead_symbolizer_exported_nothing(void **state)
{
	accounting_balance_make(&balance, &counts, &result, ACCOUNTING_SYMBOLIZER_DIED);
	assert_int_equal(balance.of[ACCOUNTING_ON_CPU].exported, 0);
	assert_int_equal(balance.of[ACCOUNTING_ON_CPU].drops[TM_DROP_RING_FULL], 10);
	assert_int_equal(balance.of[ACCOUNTING_ON_CPU].drops[TM_DROP_MEMORY], 0);
	assert_int_equal(balance.of[ACCOUNTING_ON_CPU].drops[TM_DROP_SYMBOLIZER_DIED], 90);
	assert_int_equal(balance.of[ACCOUNTING_ON_CPU].dropped, 100);
	assert_true(accounting_balances(&balance));
}

static void dead_collector_loses_what_it_had_not_handed_over(void **state)
{
	result.exported = 60;
	accounting_balance_make(&balance, &counts, &result, ACCOUNTING_COLLECTOR_DIED);
	assert_int_equal(balance.of[ACCOUNTING_ON_CPU].taken, 100);
	assert_int_equal(balance.of[ACCOUNTING_ON_CPU].drops[TM_DROP_COLLECTOR_DIED], 25);
	assert_true(accounting_balances(&balance));
}

static void dead_collector_had_handed_over_more_than_it_had_counted(void **state)
{
	result.exported = 120;
	accounting_balance_make(&balance, &counts, &result, ACCOUNTING_COLLECTOR_DIED);
	assert_int_equal(balance.of[ACCOUNTING_ON_CPU].taken, 135);
	assert_int_equal(balance.of[ACCOUNTING_ON_CPU].drops[TM_DROP_COLLECTOR_DIED], 0);
	assert_true(accounting_balances(&balance));
}

static void more_hits_than_owed_is_nothing_lost(void **state)
{
	counts.hits = 151;
	accounting_balance_make(&balance, &counts, &result, ACCOUNTING_NONE_DIED);
	assert_int_equal(balance.not_run, 0);
}

/* --- one report, off-CPU --- */

static int begin_off_cpu(void **state)
{
	(void)begin_report(state);
	counts.off_cpu.taken = 50;
	counts.off_cpu.taken_ns = 50000;
	counts.off_cpu.drops[TM_DROP_RING_FULL] = 6;
	counts.off_cpu.drops_ns[TM_DROP_RING_FULL] = 7000;
	result.off_cpu = (struct tm_off_cpu_result){.exported = 43, .exported_ns = 42000};
	result.off_cpu.drops[TM_DROP_MEMORY] = 1;
	result.off_cpu.drops_ns[TM_DROP_MEMORY] = 1000;
	return 0;
}

static void each_unit_balances_by_itself(void **state)
{
	accounting_balance_make(&balance, &counts, &result, ACCOUNTING_NONE_DIED);
	assert_int_equal(balance.of[ACCOUNTING_ON_CPU].taken, 100);
	assert_int_equal(balance.of[ACCOUNTING_OFF_CPU].taken, 50);
	assert_int_equal(balance.of[ACCOUNTING_OFF_CPU].dropped, 7);
	assert_int_equal(balance.of[ACCOUNTING_OFF_CPU].drops[TM_DROP_MEMORY], 1);
	assert_int_equal(balance.of[ACCOUNTING_OFF_CPU_NS].exported, 42000);
	assert_int_equal(balance.of[ACCOUNTING_OFF_CPU_NS].dropped, 8000);
	assert_true(accounting_balances(&balance));
	result.off_cpu.exported_ns++;
	accounting_balance_make(&balance, &counts, &result, ACCOUNTING_NONE_DIED);
	assert_int_equal(accounting_difference(&balance.of[ACCOUNTING_OFF_CPU]), 0);
	assert_int_equal(accounting_difference(&balance.of[ACCOUNTING_OFF_CPU_NS]), -1);
	assert_false(accounting_balances(&balance));
}

static void dead_symbolizer_takes_stacks_and_their_ns_with_it(void **state)
{
	accounting_balance_make(&balance, &counts, &result, ACCOUNTING_SYMBOLIZER_DIED);
	assert_int_equal(balance.of[ACCOUNTING_OFF_CPU].exported, 0);
	assert_int_equal(balance.of[ACCOUNTING_OFF_CPU].drops[TM_DROP_SYMBOLIZER_DIED], 44);
	assert_int_equal(balance.of[ACCOUNTING_OFF_CPU].drops[TM_DROP_MEMORY], 0);
	assert_int_equal(balance.of[ACCOUNTING_OFF_CPU_NS].drops[TM_DROP_SYMBOLIZER_DIED], 43000);
	assert_true(accounting_balances(&balance));
}

/* It had handed over more stacks than it had counted, and lost some of those that it had. */
static void dead_collector_takes_stacks_and_their_ns_with_it(void **state)
{
	result.off_cpu.exported = 45;
	result.off_cpu.exported_ns = 30000;
	accounting_balance_make(&balance, &counts, &result, ACCOUNTING_COLLECTOR_DIED);
	assert_int_equal(balance.of[ACCOUNTING_OFF_CPU].taken, 52);
	assert_int_equal(balance.of[ACCOUNTING_OFF_CPU].drops[TM_DROP_COLLECTOR_DIED], 0);
	assert_int_equal(balance.of[ACCOUNTING_OFF_CPU_NS].taken, 50000);
	assert_int_equal(balance.of[ACCOUNTING_OFF_CPU_NS].drops[TM_DROP_COLLECTOR_DIED], 12000);
	assert_true(accounting_balances(&balance));
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
	assert_true(accounting_balances(&balance));
	accounting_rest(&accounting, &whole, &rest);
	assert_int_equal(rest.taken, 60);
	assert_int_equal(rest.drops[TM_DROP_RING_FULL], 6);
	assert_int_equal(rest.cpus, 2);
	store(&rest, 54, 0);
	assert_true(accounting_balances(&balance));
	assert_int_equal(accounting.reports, 2);
	assert_int_equal(accounting.of[ACCOUNTING_ON_CPU].taken, 100);
	assert_int_equal(accounting.of[ACCOUNTING_ON_CPU].exported, 89);
	assert_int_equal(accounting.of[ACCOUNTING_ON_CPU].dropped, 11);
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
	assert_true(accounting_balances(&balance));
	assert_int_equal(accounting.of[ACCOUNTING_ON_CPU].taken, 90);
	assert_int_equal(accounting.of[ACCOUNTING_ON_CPU].exported, 58);
	assert_int_equal(accounting.of[ACCOUNTING_ON_CPU].dropped, 32);
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
	assert_false(accounting_balances(&balance));
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

/* As above: 40 reported, 30 handed over and not reported, then it dies; 20 more come. */
static void off_cpu_of_a_dead_symbolizer_is_lost_once(void **state)
{
	const struct tm_counts first = {.off_cpu = {.taken = 40, .taken_ns = 40000}};

	result = (struct tm_result){.off_cpu = {.exported = 38, .exported_ns = 37000}};
	result.off_cpu.drops[TM_DROP_MEMORY] = 2;
	result.off_cpu.drops_ns[TM_DROP_MEMORY] = 3000;
	accounting_balance_make(&balance, &first, &result, ACCOUNTING_NONE_DIED);
	accounting_add(&accounting, &first, &result, &balance);
	accounting_on_death(&accounting);
	accounting_baseline(&accounting, &rest);
	assert_int_equal(rest.off_cpu.taken, 40);
	assert_int_equal(rest.off_cpu.taken_ns, 40000);
	assert_int_equal(rest.off_cpu.drops[TM_DROP_SYMBOLIZER_DIED], 40);
	assert_int_equal(rest.off_cpu.drops_ns[TM_DROP_SYMBOLIZER_DIED], 40000);
	whole = (struct tm_counts){.off_cpu = {.taken = 90, .taken_ns = 90000}};
	whole.off_cpu.drops[TM_DROP_SYMBOLIZER_DIED] = 70;
	whole.off_cpu.drops_ns[TM_DROP_SYMBOLIZER_DIED] = 70000;
	accounting_rest(&accounting, &whole, &rest);
	assert_int_equal(rest.off_cpu.drops[TM_DROP_SYMBOLIZER_DIED], 30);
	assert_int_equal(rest.off_cpu.drops_ns[TM_DROP_SYMBOLIZER_DIED], 30000);
	result = (struct tm_result){.off_cpu = {.exported = 20, .exported_ns = 20000}};
	accounting_balance_make(&balance, &rest, &result, ACCOUNTING_NONE_DIED);
	assert_true(accounting_balances(&balance));
	accounting_add(&accounting, &rest, &result, &balance);
	assert_int_equal(accounting.of[ACCOUNTING_OFF_CPU].exported, 58);
	assert_int_equal(accounting.of[ACCOUNTING_OFF_CPU].dropped, 32);
	assert_int_equal(accounting.of[ACCOUNTING_OFF_CPU_NS].taken, 90000);
	assert_int_equal(accounting.of[ACCOUNTING_OFF_CPU_NS].dropped, 33000);
}

static void ns_of_many_reports_are_the_whole_beyond_the_largest_number(void **state)
{
	const uint64_t step = 1ull << 61;

	for (uint64_t i = 1; i <= 9; i++) {
		whole.off_cpu.taken_ns = i * step;
		accounting_rest(&accounting, &whole, &rest);
		assert_true(rest.off_cpu.taken_ns == step);
		result = (struct tm_result){.off_cpu = {.exported_ns = step}};
		accounting_balance_make(&balance, &rest, &result, ACCOUNTING_NONE_DIED);
		accounting_add(&accounting, &rest, &result, &balance);
		assert_int_equal(accounting_difference(&accounting.of[ACCOUNTING_OFF_CPU_NS]), 0);
	}
}

static void stratum_is_no_sum(void **state)
{
	const struct tm_counts first = {
		.off_cpu = {.seen = {.times = 3, .times_ns = 30}, .stratum_ns = 8}};

	store(&first, 0, 0);
	whole.off_cpu =
		(struct tm_off_cpu_counts){.seen = {.times = 5, .times_ns = 70}, .stratum_ns = 16};
	accounting_rest(&accounting, &whole, &rest);
	assert_int_equal(rest.off_cpu.stratum_ns, 16);
	assert_int_equal(rest.off_cpu.seen.times, 2);
	assert_int_equal(rest.off_cpu.seen.times_ns, 40);
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
		cmocka_unit_test_setup(each_unit_balances_by_itself, begin_off_cpu),
		cmocka_unit_test_setup(dead_symbolizer_takes_stacks_and_their_ns_with_it,
				       begin_off_cpu),
		cmocka_unit_test_setup(dead_collector_takes_stacks_and_their_ns_with_it,
				       begin_off_cpu),
		cmocka_unit_test_setup(without_a_report_the_rest_is_the_whole, begin_recording),
		cmocka_unit_test_setup(reports_and_the_rest_are_the_whole, begin_recording),
		cmocka_unit_test_setup(only_what_a_dead_symbolizer_had_not_reported_is_lost_with_it,
				       begin_recording),
		cmocka_unit_test_setup(dead_symbolizer_without_a_report_loses_all_samples,
				       begin_recording),
		cmocka_unit_test_setup(symbolizer_that_reports_too_much_shows_as_a_difference,
				       begin_recording),
		cmocka_unit_test_setup(off_cpu_of_a_dead_symbolizer_is_lost_once, begin_recording),
		cmocka_unit_test_setup(ns_of_many_reports_are_the_whole_beyond_the_largest_number,
				       begin_recording),
		cmocka_unit_test_setup(stratum_is_no_sum, begin_recording),
		cmocka_unit_test_setup(states_are_not_summed_up, begin_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
