/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_unwind_jobs_lost - a parser that sends invalid answers, is late or dies, and peers that
 * close
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

#include "tests/unit/symbolizer/unwind_jobs_fixture.h"

static void requested_files_fail_with_their_parser_and_others_wait_for_the_next(void **state)
{
	const struct table table = good_table();
	int next[2];

	open_file(1, 10);
	round_of_jobs();
	open_file(2, 20);
	(void)shutdown(parser[1], SHUT_RDWR);
	round_of_jobs();
	assert_int_equal(client.socket, -1);
	says_failed(1, 10);
	assert_int_equal(client.counts.failures[TM_PARSE_NO_PARSER], 1);
	round_of_jobs();
	nothing_is_sent();
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, next), 0);
	(void)close(parser[1]);
	parser[1] = next[1];
	parser_client_attach(&client, next[0], 1);
	round_of_jobs();
	answer(request_for_a_file(), PARSER_OK, &table);
	round_of_jobs();
	assert_int_equal(pages_of(2, 20), 1);
}

static void unrequested_answer_closes_the_parser(void **state)
{
	const struct table table = good_table();

	open_file(1, 10);
	round_of_jobs();
	answer(request_for_a_file() + 1, PARSER_OK, &table);
	round_of_jobs();
	assert_int_equal(client.socket, -1);
	says_failed(1, 10);
}

static void success_without_a_table_closes_the_parser(void **state)
{
	open_file(1, 10);
	round_of_jobs();
	answer(request_for_a_file(), PARSER_OK, NULL);
	round_of_jobs();
	assert_int_equal(client.socket, -1);
	says_failed(1, 10);
}

static void missed_deadline_fails_the_request_and_keeps_the_parser(void **state)
{
	const struct table table = good_table();
	uint32_t late;

	open_file(1, 10);
	round_of_jobs();
	late = request_for_a_file();
	client.slots[0].deadline_ms = 0;
	round_of_jobs();
	says_failed(1, 10);
	assert_int_equal(client.socket, parser[0]);
	assert_int_equal(client.counts.failures[TM_PARSE_DEADLINE], 1);
	answer(late, PARSER_OK, &table); /* no request waits for it any more */
	open_file(1, 20);
	round_of_jobs();
	nothing_is_sent();
	answer(request_for_a_file(), PARSER_OK, &table);
	round_of_jobs();
	assert_int_equal(pages_of(1, 20), 1);
	assert_int_equal(client.counts.lost, 0);
}

static void files_wait_while_the_parser_is_stopped(void **state)
{
	const struct table table = good_table();
	uint32_t late[PARSER_AT_ONCE];

	for (uint32_t i = 0; i <= PARSER_AT_ONCE; i++)
		open_file(i, 10);
	round_of_jobs();
	for (uint32_t i = 0; i < PARSER_AT_ONCE; i++) {
		late[i] = request_for_a_file();
		client.slots[i].deadline_ms = 0;
	}
	round_of_jobs();
	for (uint32_t i = 0; i < PARSER_AT_ONCE; i++)
		says_failed(i, 10);
	round_of_jobs();
	no_request(); /* it still has as many requests as it takes */
	nothing_is_sent();
	answer(late[0], PARSER_TIMEOUT, NULL); /* it continues */
	round_of_jobs();
	answer(request_for_a_file(), PARSER_OK, &table);
	round_of_jobs();
	assert_int_equal(pages_of(PARSER_AT_ONCE, 10), 1);
	assert_int_equal(client.counts.failures[TM_PARSE_DEADLINE], PARSER_AT_ONCE);
}

static void closed_collector_gets_no_tables(void **state)
{
	const struct table table = good_table();

	open_file(1, 10);
	round_of_jobs();
	(void)shutdown(wire[1], SHUT_RDWR);
	answer(request_for_a_file(), PARSER_OK, &table);
	round_of_jobs();
	assert_int_equal(jobs.wire, -1);
	assert_false(unwind_jobs_must_send(&jobs));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		of_its_own(requested_files_fail_with_their_parser_and_others_wait_for_the_next),
		of_its_own(unrequested_answer_closes_the_parser),
		of_its_own(success_without_a_table_closes_the_parser),
		of_its_own(missed_deadline_fails_the_request_and_keeps_the_parser),
		of_its_own(files_wait_while_the_parser_is_stopped),
		of_its_own(closed_collector_gets_no_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
