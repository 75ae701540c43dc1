/* SPDX-License-Identifier: Apache-2.0 */
/* test_report_notes - how often a service says in its journal what reports could not do */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbolizer/report_notes.h"

static void each_kind_is_due_once_an_hour(void **state)
{
	struct report_notes notes = {0};

	assert_true(report_notes_is_due(&notes, 0, 1000));
	assert_false(report_notes_is_due(&notes, 0, 6000));
	assert_true(report_notes_is_due(&notes, 1, 6000));
	assert_false(report_notes_is_due(&notes, 0, 999 + REPORT_NOTES_PAUSE_MS));
	assert_true(report_notes_is_due(&notes, 0, 1000 + REPORT_NOTES_PAUSE_MS));
}

/* Return: lines that a service writes for @reports reports of one file that is not parsed. */
static unsigned lines_of(unsigned reports)
{
	const struct report_job job = {.names.failed = 3};
	struct report_notes notes = {0};
	int ends[2], before = dup(STDERR_FILENO);
	char text[4096];
	unsigned lines = 0;
	ssize_t bytes;

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
	for (unsigned i = 0; i < reports; i++)
		report_notes_send(&notes, &job, -1);
	assert_int_equal(dup2(before, STDERR_FILENO), STDERR_FILENO);
	(void)close(before);
	(void)close(ends[1]);
	bytes = read(ends[0], text, sizeof(text));
	(void)close(ends[0]);
	assert_true(bytes > 0);
	assert_memory_equal(text, "3 files have unnamed functions", 30);
	for (ssize_t i = 0; i < bytes; i++)
		lines += text[i] == '\n';
	return lines;
}

static void a_file_that_is_never_parsed_is_said_once(void **state)
{
	assert_int_equal(lines_of(10), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_is_due_once_an_hour),
		cmocka_unit_test(a_file_that_is_never_parsed_is_said_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
