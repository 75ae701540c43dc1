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

static uint64_t sum(const struct accounting_sum *balance, uint64_t exported)
{
	uint64_t sum = exported;

	for (int i = 0; i < TM_DROP_N; i++)
		sum += balance->drops[i];
	return sum;
}

/* On-CPU samples alone. */
static struct accounting_read on_cpu(uint64_t read, uint64_t no_memory, uint64_t exported)
{
	return (struct accounting_read){
		.samples[TM_SAMPLE_ON_CPU] =
			{
				.read.count = read,
				.no_memory.count = no_memory,
				.exported.count = exported,
			},
	};
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
	struct accounting_read read = on_cpu(90, 5, 85);
	struct accounting balance;

	accounting_close(&balance, &counts, &read);
	assert_int_equal(balance.on_cpu.unexplained, 0);
	assert_int_equal(sum(&balance.on_cpu, 85), balance.on_cpu.taken);
	assert_int_equal(balance.on_cpu.own[TM_DROP_MEMORY], 5);
	assert_int_equal(balance.on_cpu.own[TM_DROP_RING_FULL], 0);
	assert_int_equal(balance.on_cpu.drops[TM_DROP_RING_FULL], 7);
	assert_int_equal(balance.not_run, 10);
}

static void bad_records_are_those_pushed_and_not_read(void **state)
{
	struct accounting_read read = on_cpu(88, 0, 88);
	struct accounting balance;

	read.bad_records = 4;
	accounting_close(&balance, &counts, &read);
	assert_int_equal(balance.on_cpu.own[TM_DROP_BAD_RECORD], 2);
	assert_int_equal(balance.on_cpu.unexplained, 0);
	read = on_cpu(30, 0, 30);
	read.broken = true;
	accounting_close(&balance, &counts, &read);
	assert_int_equal(balance.on_cpu.own[TM_DROP_BAD_RECORD], 60);
	assert_int_equal(balance.on_cpu.unexplained, 0);
}

static void unexplained_difference_is_counted(void **state)
{
	struct accounting_read read = on_cpu(89, 0, 89);
	struct accounting balance;

	accounting_close(&balance, &counts, &read);
	assert_int_equal(balance.on_cpu.unexplained, 1);
	read = on_cpu(91, 0, 91);
	accounting_close(&balance, &counts, &read);
	assert_int_equal(balance.on_cpu.unexplained, 1);
}

static void dead_collector_lost_the_rest(void **state)
{
	struct accounting_read read = on_cpu(80, 0, 80);
	struct accounting balance;

	read.collector_died = true;
	accounting_close(&balance, &counts, &read);
	assert_int_equal(balance.on_cpu.own[TM_DROP_COLLECTOR_DIED], 10);
	assert_int_equal(sum(&balance.on_cpu, 80), balance.on_cpu.taken);
	/* It died between its last records and its last counts. */
	read.samples[TM_SAMPLE_ON_CPU].read.count = 95;
	read.samples[TM_SAMPLE_ON_CPU].exported.count = 95;
	accounting_close(&balance, &counts, &read);
	assert_int_equal(balance.on_cpu.own[TM_DROP_COLLECTOR_DIED], 0);
	assert_int_equal(balance.on_cpu.taken, 105);
	assert_int_equal(sum(&balance.on_cpu, 95), balance.on_cpu.taken);
}

static void more_hits_than_owed_give_no_negative_number(void **state)
{
	struct tm_counts odd = counts;
	struct accounting_read read = on_cpu(90, 0, 90);
	struct accounting balance;

	odd.owed = 190;
	accounting_close(&balance, &odd, &read);
	assert_int_equal(balance.not_run, 0);
}

static void pending_samples_belong_to_the_next_report(void **state)
{
	struct accounting_read read = on_cpu(90, 5, 60);
	struct tm_counts first = counts, second = counts, before = {0};
	struct accounting reported = {0}, balance;

	accounting_so_far(&balance, &first, &read); /* 25 wait in the reorder buffer */
	accounting_since(&balance, &reported);
	accounting_counts_since(&first, &before, &balance);
	assert_int_equal(balance.on_cpu.taken, 75);
	assert_int_equal(balance.on_cpu.unexplained, 0);
	assert_int_equal(sum(&balance.on_cpu, balance.on_cpu.exported), balance.on_cpu.taken);
	assert_int_equal(first.taken, 75);
	assert_int_equal(first.drops[TM_DROP_MEMORY], 0);
	assert_int_equal(first.drops[TM_DROP_RING_FULL], 7);
	assert_int_equal(first.owed - first.hits, 10);
	read.samples[TM_SAMPLE_ON_CPU].exported.count = 85;
	accounting_close(&balance, &second, &read);
	accounting_since(&balance, &reported);
	accounting_counts_since(&second, &counts, &balance);
	assert_int_equal(balance.on_cpu.taken, 25);
	assert_int_equal(balance.on_cpu.exported, 25);
	assert_int_equal(sum(&balance.on_cpu, balance.on_cpu.exported), balance.on_cpu.taken);
	assert_int_equal(balance.on_cpu.unexplained, 0);
	assert_int_equal(second.owed, second.hits);
	assert_int_equal(reported.on_cpu.taken, counts.taken);
}

/* Taken: 50 samples of 5000 ns. */
static const struct tm_counts both = {
	.hits = 200,
	.owed = 200,
	.taken = 100,
	.pushed = 100,
	.off_cpu =
		{
			.seen = {.times = 900, .times_ns = 5100},
			.taken = 50,
			.taken_ns = 5000,
			.pushed = 45,
			.pushed_ns = 4600,
			.drops = {[TM_DROP_RING_FULL] = 4, [TM_DROP_SHARED_FULL] = 1},
			.drops_ns = {[TM_DROP_RING_FULL] = 300, [TM_DROP_SHARED_FULL] = 100},
			.stratum_ns = 70,
		},
};

static struct accounting_read with_off_cpu(struct sample_sum read, struct sample_sum no_memory,
					   struct sample_sum exported)
{
	struct accounting_read all = on_cpu(100, 0, 100);

	all.samples[TM_SAMPLE_OFF_CPU] = (struct sample_counts){read, exported, no_memory, 0};
	return all;
}

static void off_cpu_balances_in_samples_and_in_ns(void **state)
{
	struct accounting_read read =
		with_off_cpu((struct sample_sum){45, 4600}, (struct sample_sum){2, 150},
			     (struct sample_sum){43, 4450});
	struct accounting balance;

	accounting_close(&balance, &both, &read);
	assert_int_equal(balance.on_cpu.unexplained, 0);
	assert_int_equal(balance.off_cpu.unexplained, 0);
	assert_int_equal(balance.off_cpu_ns.unexplained, 0);
	assert_int_equal(sum(&balance.on_cpu, 100), 100);
	assert_int_equal(sum(&balance.off_cpu, 43), 50);
	assert_int_equal(sum(&balance.off_cpu_ns, 4450), 5000);
	assert_int_equal(balance.off_cpu.own[TM_DROP_MEMORY], 2);
	assert_int_equal(balance.off_cpu_ns.own[TM_DROP_MEMORY], 150);
	assert_int_equal(balance.off_cpu_ns.own[TM_DROP_RING_FULL], 0);
	assert_int_equal(balance.off_cpu_ns.drops[TM_DROP_RING_FULL], 300);
}

static void ns_of_bad_records_are_those_pushed_and_not_read(void **state)
{
	struct accounting_read read =
		with_off_cpu((struct sample_sum){43, 4000}, (struct sample_sum){0},
			     (struct sample_sum){43, 4000});
	struct accounting balance;

	read.bad_records = 2;
	accounting_close(&balance, &both, &read);
	assert_int_equal(balance.off_cpu.own[TM_DROP_BAD_RECORD], 2);
	assert_int_equal(balance.off_cpu_ns.own[TM_DROP_BAD_RECORD], 600);
	assert_int_equal(balance.off_cpu.unexplained, 0);
	assert_int_equal(balance.off_cpu_ns.unexplained, 0);
	/* Whose value was changed on the way is no bad record. */
	read = with_off_cpu((struct sample_sum){45, 4000}, (struct sample_sum){0},
			    (struct sample_sum){45, 4000});
	accounting_close(&balance, &both, &read);
	assert_int_equal(balance.off_cpu_ns.own[TM_DROP_BAD_RECORD], 0);
	assert_int_equal(balance.off_cpu_ns.unexplained, 600);
}

static void dead_collector_lost_the_rest_of_off_cpu_too(void **state)
{
	struct accounting_read read =
		with_off_cpu((struct sample_sum){40, 4000}, (struct sample_sum){0},
			     (struct sample_sum){40, 4000});
	struct accounting balance;

	read.collector_died = true;
	accounting_close(&balance, &both, &read);
	assert_int_equal(balance.off_cpu.own[TM_DROP_COLLECTOR_DIED], 5);
	assert_int_equal(balance.off_cpu_ns.own[TM_DROP_COLLECTOR_DIED], 600);
	assert_int_equal(sum(&balance.off_cpu_ns, 4000), balance.off_cpu_ns.taken);
}

static void off_cpu_of_each_interval_balances(void **state)
{
	struct accounting_read read =
		with_off_cpu((struct sample_sum){44, 4500}, (struct sample_sum){1, 50},
			     (struct sample_sum){30, 3000});
	struct tm_counts first = both, second = both, before = {0};
	struct accounting reported = {0}, balance;

	read.bad_records = 1;
	read.samples[TM_SAMPLE_OFF_CPU].bad = 1;
	accounting_so_far(&balance, &first, &read); /* 13 wait in the reorder buffer */
	accounting_since(&balance, &reported);
	accounting_counts_since(&first, &before, &balance);
	assert_int_equal(balance.off_cpu.exported, 30);
	assert_int_equal(first.off_cpu.taken, 30 + 1 + 1 + 5);
	assert_int_equal(first.off_cpu.taken_ns, 3000 + 50 + 400); /* the bad one's come last */
	assert_int_equal(first.off_cpu.drops_ns[TM_DROP_RING_FULL], 300);
	assert_int_equal(first.off_cpu.drops_ns[TM_DROP_MEMORY], 0);
	assert_int_equal(first.off_cpu.seen.times_ns, 5100);
	read.samples[TM_SAMPLE_OFF_CPU].exported = (struct sample_sum){43, 4450};
	accounting_close(&balance, &second, &read);
	accounting_since(&balance, &reported);
	accounting_counts_since(&second, &both, &balance);
	assert_int_equal(second.off_cpu.taken, 13);
	assert_int_equal(second.off_cpu.taken_ns, 1450 + 100);
	assert_int_equal(balance.off_cpu_ns.own[TM_DROP_BAD_RECORD], 100);
	assert_int_equal(balance.off_cpu.unexplained, 0);
	assert_int_equal(balance.off_cpu_ns.unexplained, 0);
	assert_int_equal(second.off_cpu.seen.times, 0);
	assert_int_equal(second.off_cpu.stratum_ns, 70); /* no sum */
}

static void next_symbolizer_goes_on_after_what_was_reported(void **state)
{
	struct accounting reported, balance;
	struct tm_counts counts_now = both;
	struct accounting_read read = with_off_cpu(
		(struct sample_sum){5, 600}, (struct sample_sum){0}, (struct sample_sum){5, 600});

	accounting_resume(&reported, &both);
	counts_now.off_cpu.taken += 5;
	counts_now.off_cpu.taken_ns += 600;
	counts_now.off_cpu.drops[TM_DROP_SYMBOLIZER_DIED] = 45;
	counts_now.off_cpu.drops_ns[TM_DROP_SYMBOLIZER_DIED] = 4600;
	reported.off_cpu.drops[TM_DROP_SYMBOLIZER_DIED] = 45;
	reported.off_cpu_ns.drops[TM_DROP_SYMBOLIZER_DIED] = 4600;
	counts_now.off_cpu.pushed = 5;
	counts_now.off_cpu.pushed_ns = 600;
	accounting_close(&balance, &counts_now, &read);
	accounting_since(&balance, &reported);
	assert_int_equal(balance.off_cpu.taken, 5);
	assert_int_equal(balance.off_cpu_ns.taken, 600);
	assert_int_equal(balance.off_cpu_ns.exported, 600);
	assert_int_equal(balance.off_cpu_ns.unexplained, 0);
}

static void count_that_decreases_is_reported_as_unexplained(void **state)
{
	struct accounting_read read = on_cpu(90, 0, 90);
	struct tm_counts lie = counts;
	struct accounting reported = {0}, balance;

	accounting_so_far(&balance, &counts, &read);
	accounting_since(&balance, &reported);
	lie.drops[TM_DROP_RING_FULL] = 2;
	accounting_close(&balance, &lie, &read);
	accounting_since(&balance, &reported);
	assert_int_equal(balance.on_cpu.drops[TM_DROP_RING_FULL], 0);
	assert_int_equal(balance.on_cpu.unexplained,
			 0); /* in this interval nothing was taken or lost */
	lie.taken = 110;
	accounting_close(&balance, &lie, &read);
	accounting_since(&balance, &reported);
	assert_int_equal(balance.on_cpu.taken, 10);
	assert_int_equal(balance.on_cpu.unexplained, 10);
}

#define STEP    (1ull << 61) /* ns of one report */
#define REPORTS 9ull         /* together more than 2^64 */

static void ns_of_many_reports_balance_beyond_the_largest_number(void **state)
{
	struct accounting reported = {0}, balance;
	struct tm_counts now = {0}, before = {0}, report;
	struct accounting_read read = {0};
	struct sample_counts *off_cpu = &read.samples[TM_SAMPLE_OFF_CPU];

	for (uint64_t i = 0; i < REPORTS; i++) {
		now.off_cpu.seen.times_ns += STEP + 3;
		now.off_cpu.taken_ns += STEP + 3;
		now.off_cpu.pushed_ns += STEP + 1;
		now.off_cpu.drops_ns[TM_DROP_RING_FULL] += 2;
		off_cpu->read.value += STEP + 1;
		off_cpu->exported.value += STEP;
		off_cpu->no_memory.value++;
		report = now;
		accounting_so_far(&balance, &report, &read);
		accounting_since(&balance, &reported);
		accounting_counts_since(&report, &before, &balance);
		before = now;
		assert_true(balance.off_cpu_ns.exported == STEP);
		assert_int_equal(balance.off_cpu_ns.own[TM_DROP_MEMORY], 1);
		assert_int_equal(balance.off_cpu_ns.unexplained, 0);
		assert_true(report.off_cpu.taken_ns == STEP + 3);
		assert_true(report.off_cpu.seen.times_ns == STEP + 3);
		assert_int_equal(report.off_cpu.drops_ns[TM_DROP_RING_FULL], 2);
	}
	now.off_cpu.taken_ns += 5; /* which died with the collector */
	read.collector_died = true;
	accounting_close(&balance, &now, &read);
	accounting_since(&balance, &reported);
	assert_int_equal(balance.off_cpu_ns.taken, 5);
	assert_int_equal(balance.off_cpu_ns.own[TM_DROP_COLLECTOR_DIED], 5);
	assert_int_equal(balance.off_cpu_ns.unexplained, 0);
}

static void ns_of_many_symbolizers_balance_beyond_the_largest_number(void **state)
{
	struct accounting reported = {0}, balance;
	struct accounting_read read = {0};
	struct tm_counts now = {0}, baseline;
	struct sample_counts *off_cpu = &read.samples[TM_SAMPLE_OFF_CPU];

	off_cpu->read.value = off_cpu->exported.value = STEP;
	for (uint64_t i = 0; i < REPORTS; i++) {
		now.off_cpu.taken_ns += STEP;
		now.off_cpu.pushed_ns = STEP;
		now.off_cpu.drops_ns[TM_DROP_SYMBOLIZER_DIED] = i * STEP;
		accounting_close(&balance, &now, &read);
		accounting_since(&balance, &reported);
		assert_true(balance.off_cpu_ns.taken == STEP);
		assert_true(balance.off_cpu_ns.exported == STEP);
		assert_int_equal(balance.off_cpu_ns.drops[TM_DROP_SYMBOLIZER_DIED], 0);
		assert_int_equal(balance.off_cpu_ns.unexplained, 0);
		accounting_baseline(&reported, &now, &baseline);
		accounting_resume(&reported, &baseline);
	}
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
		cmocka_unit_test(off_cpu_balances_in_samples_and_in_ns),
		cmocka_unit_test(ns_of_bad_records_are_those_pushed_and_not_read),
		cmocka_unit_test(dead_collector_lost_the_rest_of_off_cpu_too),
		cmocka_unit_test(off_cpu_of_each_interval_balances),
		cmocka_unit_test(next_symbolizer_goes_on_after_what_was_reported),
		cmocka_unit_test(ns_of_many_reports_balance_beyond_the_largest_number),
		cmocka_unit_test(ns_of_many_symbolizers_balance_beyond_the_largest_number),
		cmocka_unit_test(count_that_decreases_is_reported_as_unexplained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
