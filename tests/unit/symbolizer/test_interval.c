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
static struct tm_retire_queue queue;
static struct interval *interval;
static union make_record record;

static int begin(void **state)
{
	total = (struct budget_total)BUDGET_TOTAL_INIT(TOTAL_BYTES);
	tables = (struct budget){.limit = UINT64_MAX, .total = &total};
	interval = interval_open(&total, &seed, &processes, &files);
	process_table_init(&processes, &interval->strings, &tables, &queue);
	return files_init(&files, &interval->strings, &tables, &queue);
}

static int end(void **state)
{
	interval = interval_free(interval);
	process_table_deinit(&processes);
	files_deinit(&files);
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
	struct interval *next = interval_open(&total, &seed, &processes, &files);

	assert_non_null(next);
	assert_int_equal(interval_close(closed, next), 0);
	interval = next;
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
	assert_int_equal(closed->aggregate.exported, 1);
	assert_int_equal(process_of(closed, 0)->tgid, 9);
	assert_string_equal(closed->strings.items[process_of(closed, 0)->exe], "/usr/bin/prog");
	(void)interval_free(closed);
}

static void process_that_lives_on_has_its_names_in_the_next_interval(void **state)
{
	announce(9);
	assert_int_equal(count(9, 0x10), 0);
	(void)interval_free(close_it());
	assert_int_equal(interval->aggregate.exported, 0);
	assert_int_equal(count(9, 0x10), 0);
	assert_int_equal(interval->aggregate.exported, 1);
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

static void full_profile_can_still_be_closed_and_named(void **state)
{
	struct interval *closed;
	uint64_t offset = 0;
	uint32_t string;

	announce(9);
	while (offset % 1000 || !aggregate_merged_samples(&interval->aggregate))
		assert_int_equal(count(9, ++offset), 0);
	assert_true(interval->aggregate.exported > 1000);
	closed = close_it(); /* the next one opens although no byte is free */
	for (uint32_t i = 0; i < 100000; i++)
		assert_int_equal(strings_format(&closed->strings, &string, "function_%u", i), 0);
	assert_true(total.used > total.limit);
	while (count(9, ++offset) == 0)
		; /* the next one may go beyond it, too, but not as far */
	assert_true(interval->budget.used <= INTERVAL_FIRST_BYTES);
	(void)interval_free(closed);
	assert_int_equal(count(9, 1), 0);
}

static void budget_beyond_its_limit_takes_nothing_more(void **state)
{
	struct budget budget = {.limit = 10};

	assert_int_equal(budget_take(&budget, 10), 0);
	budget.limit = 5;
	assert_int_equal(budget_take(&budget, 1), BUDGET_E_SPENT);
	assert_int_equal(budget_take(&budget, UINT64_MAX), BUDGET_E_SPENT);
	budget_give(&budget, 10);
	assert_int_equal(budget.used, 0);
}

#define with_tables(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_tables(closed_interval_keeps_its_processes_and_their_names),
		with_tables(process_that_lives_on_has_its_names_in_the_next_interval),
		with_tables(descriptors_stay_with_the_live_table),
		with_tables(full_profile_can_still_be_closed_and_named),
		cmocka_unit_test(budget_beyond_its_limit_takes_nothing_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
