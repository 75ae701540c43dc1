/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_unwind_jobs_lost - rows of a parser that lies, stays silent or dies, and ends that go
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/symbolizer/rowsrig.h"

static void files_of_a_parser_that_dies_are_said_to_have_failed(void **state)
{
	open_file(1, 10);
	unwind_jobs_round(&rows);
	open_file(2, 20);
	(void)shutdown(parser[1], SHUT_RDWR);
	unwind_jobs_round(&rows);
	assert_int_equal(rows.parser, -1);
	says_failed(1, 10);
	says_failed(2, 20);
	nothing_is_sent();
}

static void answer_to_nothing_that_was_asked_ends_the_talk(void **state)
{
	const struct table table = good_table();

	open_file(1, 10);
	unwind_jobs_round(&rows);
	answer(request_for_a_file() + 1, PARSER_OK, &table);
	unwind_jobs_round(&rows);
	assert_int_equal(rows.parser, -1);
	says_failed(1, 10);
}

static void success_without_a_table_ends_the_talk(void **state)
{
	open_file(1, 10);
	unwind_jobs_round(&rows);
	answer(request_for_a_file(), PARSER_OK, NULL);
	unwind_jobs_round(&rows);
	assert_int_equal(rows.parser, -1);
	says_failed(1, 10);
}

static void parser_that_misses_its_deadline_by_far_is_given_up(void **state)
{
	open_file(1, 10);
	unwind_jobs_round(&rows);
	(void)request_for_a_file();
	rows.slots[0].deadline_ms = 0;
	unwind_jobs_round(&rows);
	assert_int_equal(rows.parser, -1);
	says_failed(1, 10);
}

static void collector_that_went_needs_no_rows(void **state)
{
	const struct table table = good_table();

	open_file(1, 10);
	unwind_jobs_round(&rows);
	(void)shutdown(wire[1], SHUT_RDWR);
	answer(request_for_a_file(), PARSER_OK, &table);
	unwind_jobs_round(&rows);
	assert_int_equal(rows.wire, -1);
	assert_int_equal(unwind_jobs_are_made(&rows), 0);
}

static void rows_under_way_are_answered_before_names_are_asked(void **state)
{
	const struct table table = good_table();

	open_file(1, 10);
	open_file(2, 10);
	unwind_jobs_round(&rows);
	open_file(3, 10);
	for (uint32_t i = 0; i < 2; i++)
		answer(request_for_a_file(), PARSER_OK, &table);
	unwind_jobs_settle(&rows, /* control= */ -1, /* last= */ 1);
	assert_int_equal(unwind_jobs_are_asked(&rows), 0);
	assert_int_equal(pages_of(1, 10), 1);
	assert_int_equal(pages_of(2, 10), 1);
	no_request();
}

static void command_that_goes_ends_the_wait(void **state)
{
	int control[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control), 0);
	(void)close(control[1]);
	open_file(1, 10);
	unwind_jobs_round(&rows);
	unwind_jobs_settle(&rows, control[0], /* last= */ 0);
	assert_int_equal(rows.parser, -1);
	(void)close(control[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		of_its_own(files_of_a_parser_that_dies_are_said_to_have_failed),
		of_its_own(answer_to_nothing_that_was_asked_ends_the_talk),
		of_its_own(success_without_a_table_ends_the_talk),
		of_its_own(parser_that_misses_its_deadline_by_far_is_given_up),
		of_its_own(collector_that_went_needs_no_rows),
		of_its_own(rows_under_way_are_answered_before_names_are_asked),
		of_its_own(command_that_goes_ends_the_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
