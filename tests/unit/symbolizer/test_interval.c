/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_interval - a closed interval keeps what it counted, whatever the live tables do afterwards
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/profile/aggregate_merge.h"
#include "symbolizer/profile/interval.h"
#include "tests/unit/symbolizer/make.h"

#define TOTAL_BYTES (8ull << 20)
#define MS          1000000ull

static struct budget_total total;
static struct budget tables;
static struct hash_seed seed = {{1, 2}};
static struct process_table processes;
static struct files files;
static struct methods methods;
static struct tm_retire_queue queue;
static struct interval *interval;
static union make_record record;

static int begin(void **state)
{
	total = (struct budget_total)BUDGET_TOTAL_INIT(TOTAL_BYTES);
	budget_divide(&total);
	tables = (struct budget){
		.limit = budget_limit(&total, TM_MEMORY_PROFILE) / INTERVAL_TABLES_PART,
		.total = &total,
	};
	interval = interval_open(&total, &seed, &processes, &files, &methods);
	process_table_init(&processes, &interval->strings, &tables, &queue);
	files_init(&files, &interval->strings, &tables, &queue);
	methods_init(&methods, &processes, &tables, &queue);
	return 0;
}

static int end(void **state)
{
	interval = interval_free(interval);
	process_table_deinit(&processes);
	files_deinit(&files);
	methods_deinit(&methods);
	tm_retire_deinit(&queue);
	return total.used == 0 && tables.used == 0 ? 0 : -1;
}

static void announce(uint32_t tgid)
{
	make_process(&record, tgid, "leader", 1, "prog\0bin\0usr\0", 13, "unit\0slice\0", 11);
	record.event.ktime = MS;
	assert_int_equal(process_announce(&processes, &record.process), 0);
}

static int count(uint32_t tgid, uint64_t offset)
{
	const uint64_t words[] = {FILE_WORD(7, offset)};

	make_sample(&record, 2 * MS, tgid, "leader", words, 0, 1);
	return aggregate_add(&interval->aggregate, &record.sample);
}

static struct interval *close_it(void)
{
	struct interval *closed = interval;

	assert_int_equal(interval_close(closed, &interval), 0);
	return closed;
}

static const struct process *process_of(const struct interval *of, uint32_t sample)
{
	const struct aggregate *aggregate = &of->aggregate;

	return &aggregate->processes->items[aggregate->samples[sample].process];
}

static void closed_interval_keeps_its_processes_and_their_names(void **state)
{
	struct interval *closed;

	announce(9);
	assert_int_equal(count(9, 0x10), 0);
	closed = close_it();
	make_exit(&record, 3 * MS, 9);
	process_exit(&processes, &record.event);
	(void)tm_retire_run(&queue, UINT64_MAX); /* the live entry is free */
	announce(10);                            /* and another process has its place */
	assert_int_equal(closed->aggregate.exported[TM_SAMPLE_ON_CPU].count, 1);
	assert_int_equal(process_of(closed, 0)->tgid, 9);
	assert_string_equal(closed->strings.items[process_of(closed, 0)->exe], "/usr/bin/prog");
	(void)interval_free(closed);
}

static void process_that_lives_on_has_its_names_in_the_next_interval(void **state)
{
	announce(9);
	interval->aggregate.period_ns = 1000;
	assert_int_equal(count(9, 0x10), 0);
	(void)interval_free(close_it());
	assert_int_equal(interval->aggregate.exported[TM_SAMPLE_ON_CPU].count, 0);
	assert_int_equal(count(9, 0x10), 0);
	assert_int_equal(interval->aggregate.exported[TM_SAMPLE_ON_CPU].count, 1);
	assert_int_equal(interval->aggregate.exported[TM_SAMPLE_ON_CPU].value, 1000);
	assert_string_equal(interval->strings.items[process_of(interval, 0)->exe], "/usr/bin/prog");
}

static void descriptors_stay_with_the_live_table(void **state)
{
	struct interval *closed;

	make_file(&record, 7, 70, "lib\0", 4);
	assert_int_equal(files_announce(&files, &record.file), 0);
	assert_int_equal(count(9, 0x10), 0);
	closed = close_it();
	assert_true(closed->files.count > 0);
	for (uint32_t i = 0; i < closed->files.count; i++)
		assert_int_equal(closed->files.items[i].fd, -1);
	(void)interval_free(closed);
}

static void fill_profile(uint64_t *offset)
{
	while (*offset % 1000 || !aggregate_merged_samples(&interval->aggregate))
		assert_int_equal(count(9, ++*offset), 0);
}

static void full_profile_can_still_be_closed_and_named(void **state)
{
	struct interval *closed;
	uint64_t offset = 0;
	uint32_t string;

	announce(9);
	fill_profile(&offset);
	assert_true(total.parts[TM_MEMORY_PROFILE].used > total.parts[TM_MEMORY_PROFILE].limit / 3);
	closed = close_it();
	assert_true(total.parts[TM_MEMORY_PROFILE].used < total.parts[TM_MEMORY_PROFILE].limit / 3);
	for (uint32_t i = 0; i < 10000; i++)
		assert_int_equal(strings_format(&closed->strings, &string, "function_%u", i), 0);
	fill_profile(&offset); /* the next one has as much as the first */
	assert_true(total.used <= total.limit);
	(void)interval_free(closed);
	assert_int_equal(total.parts[TM_MEMORY_REPORT].used, 0);
}

static void interval_without_memory_beside_other_reports_stays_open(void **state)
{
	struct budget other = {.limit = UINT64_MAX, .total = &total, .share = TM_MEMORY_REPORT};
	struct interval *closed = interval;
	uint64_t offset = 0;

	announce(9);
	fill_profile(&offset);
	while (budget_take(&other, 64u << 10) == 0)
		;
	assert_int_equal(interval_close(closed, &interval), BUDGET_E_SPENT);
	assert_ptr_equal(closed, interval);
	assert_int_equal(total.parts[TM_MEMORY_REPORT].used, other.used);
	assert_int_equal(count(9, ++offset), 0);
	budget_give(&other, other.used);
	(void)interval_free(close_it());
}

#define with_tables(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_tables(closed_interval_keeps_its_processes_and_their_names),
		with_tables(process_that_lives_on_has_its_names_in_the_next_interval),
		with_tables(descriptors_stay_with_the_live_table),
		with_tables(full_profile_can_still_be_closed_and_named),
		with_tables(interval_without_memory_beside_other_reports_stays_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
