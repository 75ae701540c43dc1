/* SPDX-License-Identifier: Apache-2.0 */
/* test_report_notes - how often a service says in its journal what reports could not do */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbolizer/report_notes.h"

static void each_text_is_due_once_an_hour(void **state)
{
	static const char one[] = "one", other[] = "other", many[REPORT_NOTES_MAX + 1];
	struct report_notes notes = {0};

	assert_true(report_notes_is_due(&notes, one, 1000));
	assert_false(report_notes_is_due(&notes, one, 6000));
	assert_true(report_notes_is_due(&notes, other, 6000));
	assert_false(report_notes_is_due(&notes, one, 999 + REPORT_NOTES_PAUSE_MS));
	assert_true(report_notes_is_due(&notes, one, 1000 + REPORT_NOTES_PAUSE_MS));
	for (unsigned i = 0; i <= REPORT_NOTES_MAX; i++)
		assert_true(report_notes_is_due(&notes, &many[i], 7000));
	assert_false(report_notes_is_due(&notes, &many[0], 7000));
	assert_true(report_notes_is_due(&notes, &many[REPORT_NOTES_MAX], 7000)); /* no place */
}

/* Return: lines that a service writes for @reports such reports. */
static unsigned lines_of(const struct report_job *job, unsigned reports)
{
	struct report_notes notes = {0};
	int ends[2], before = dup(STDERR_FILENO);
	char text[4096];
	unsigned lines = 0;
	ssize_t bytes;

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
	for (unsigned i = 0; i < reports; i++)
		report_notes_send(&notes, job, -1);
	assert_int_equal(dup2(before, STDERR_FILENO), STDERR_FILENO);
	(void)close(before);
	(void)close(ends[1]);
	bytes = read(ends[0], text, sizeof(text));
	(void)close(ends[0]);
	assert_true(bytes > 0);
	for (ssize_t i = 0; i < bytes; i++)
		lines += text[i] == '\n';
	return lines;
}

static void what_each_report_lacks_is_said_once(void **state)
{
	const struct report_job never_parsed = {.names.failed = 3};
	const struct report_job nameless = {.methods_full = 2, .method_conflicts = 1};
	const struct report_job refused = {.notes = {"the table did not check"}, .note_count = 1};

	assert_int_equal(lines_of(&never_parsed, 10), 1);
	assert_int_equal(lines_of(&nameless, 10), 2);
	assert_int_equal(lines_of(&refused, 10), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_text_is_due_once_an_hour),
		cmocka_unit_test(what_each_report_lacks_is_said_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
