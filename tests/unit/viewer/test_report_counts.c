/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_report_counts - a report's counts as text: each is there, is read again, and adds up
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "symbolizer/output/report_counts.h"

static char text[REPORT_COUNTS_BYTES], again[REPORT_COUNTS_BYTES];

/* Every count another number. */
static void fill(struct report *report, uint64_t first)
{
	uint64_t *const single[] = {
		&report->taken,        &report->exported,       &report->not_run,
		&report->frames_shown, &report->late_records,   &report->merged,
		&report->lines,        &report->unnamed_frames, &report->thinned};
	uint64_t *numbers = (uint64_t *)&report->off_cpu;

	*report = (struct report){.hz = 97, .period_ns = 10309278, .kinds = 3};
	for (size_t i = 0; i < sizeof(single) / sizeof(single[0]); i++)
		*single[i] = first++;
	for (size_t i = 0; i < sizeof(report->off_cpu) / sizeof(*numbers); i++)
		numbers[i] = first++;
	for (size_t i = 0; i < TM_DROP_N; i++)
		report->drops[i] = first++;
	for (size_t i = 0; i < TM_STOP_N; i++)
		report->truncated[i] = first++;
	for (size_t i = 0; i < TM_UNRESOLVED_N; i++)
		report->unresolved[i] = first++;
	for (size_t i = 0; i < TM_NO_FILE_N; i++)
		report->unopened[i] = first++;
	for (size_t i = 0; i < TM_UNNAMED_N; i++)
		report->unnamed[i] = first++;
	for (size_t i = 0; i < TM_NO_LINE_N; i++)
		report->no_line[i] = first++;
}

static void every_count_is_read_as_it_was_written(void **state)
{
	struct report report, found = {0};

	fill(&report, 1);
	report_counts_format(&report, text);
	assert_int_equal(report_counts_add(&found, text), 0);
	report_counts_format(&found, again);
	assert_string_equal(again, text);
	assert_memory_equal(&found, &report, sizeof(report));
}

static void the_longest_numbers_fit(void **state)
{
	struct report report, found = {0};

	fill(&report, UINT64_MAX - 500);
	report_counts_format(&report, text);
	assert_true(strlen(text) + 1 < sizeof(text));
	assert_int_equal(report_counts_add(&found, text), 0);
	assert_memory_equal(&found, &report, sizeof(report));
}

static void counts_add_up_and_stop_at_the_largest(void **state)
{
	struct report found = {0};

	assert_int_equal(report_counts_add(&found, "1 hz=99 taken=3 drops.ring_full=2"), 0);
	assert_int_equal(report_counts_add(&found, "1 hz=99 taken=4 drops.ring_full=5"), 0);
	assert_int_equal(found.hz, 99);
	assert_int_equal(found.taken, 7);
	assert_int_equal(found.drops[TM_DROP_RING_FULL], 7);
	assert_int_equal(report_counts_add(&found, "1 taken=18446744073709551615"), 0);
	assert_int_equal(found.taken, UINT64_MAX);
}

static void what_is_unknown_is_skipped(void **state)
{
	struct report found = {0};
	const struct report nothing = {0};

	assert_int_equal(report_counts_add(&found,
					   "1 future=1 drops.future=2 drops=3 taken.x=4 taken = =5 "
					   "taken=x taken=99999999999999999999 kinds=4294967292"),
			 0);
	assert_memory_equal(&found, &nothing, sizeof(found));
	assert_int_equal(report_counts_add(&found, "2 taken=1"), REPORT_COUNTS_E_VERSION);
	assert_int_equal(report_counts_add(&found, "12 taken=1"), REPORT_COUNTS_E_VERSION);
	assert_int_equal(report_counts_add(&found, ""), REPORT_COUNTS_E_VERSION);
	assert_memory_equal(&found, &nothing, sizeof(found));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_count_is_read_as_it_was_written),
		cmocka_unit_test(the_longest_numbers_fit),
		cmocka_unit_test(counts_add_up_and_stop_at_the_largest),
		cmocka_unit_test(what_is_unknown_is_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
