/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_parser_client - a parser that answers late, dies or sends invalid messages, and its
 * successor
 */

#include "shared/clock.h"
#include "tests/unit/symbolizer/parser_client_peer.h"

/*
 * Return: how many times the command was asked for another parser since the last call, each time
 * by the number of the one that is lost.
 */
static unsigned asked_for_another(void)
{
	struct tm_control message;
	unsigned count = 0;

	while (tm_fdpass_recv(command[1], &message, sizeof(message), NULL, MSG_DONTWAIT) == 0) {
		assert_int_equal(message.kind, TM_CONTROL_PARSER_LOST);
		assert_int_equal(message.value, connected - 1);
		count++;
	}
	return count;
}

static void each_request_is_answered_once(void **state)
{
	uint32_t first;

	assert_int_equal(ask(7), 0);
	first = take_request();
	send_result(first, PARSER_OK, STDIN_FILENO);
	assert_int_equal(answered, 1);
	assert_int_equal(last_value, 7);
	assert_int_equal(last_failure, TM_PARSE_N);
	assert_true(had_fd);
	assert_int_equal(ask(8), 0);
	send_result(take_request(), PARSER_NOT_ELF, -1);
	assert_int_equal(answered, 2);
	assert_int_equal(last_failure, TM_PARSE_N); /* final, without a result */
	assert_false(had_fd);
	send_result(first, PARSER_OK, STDIN_FILENO); /* a second answer is malformed */
	assert_int_equal(client.socket, -1);
	assert_int_equal(answered, 2);
}

static void no_more_requests_are_open_than_the_parser_takes(void **state)
{
	for (uint32_t i = 0; i < PARSER_AT_ONCE; i++) {
		assert_true(parser_client_is_ready(&client));
		assert_int_equal(ask(i), 0);
	}
	assert_false(parser_client_is_ready(&client));
	assert_int_equal(ask(9), PARSER_CLIENT_E_BUSY);
	send_result(take_request(), PARSER_CRASHED, -1);
	assert_int_equal(last_failure, TM_PARSE_CRASHED);
	assert_int_equal(ask(9), 0);
}

static void missed_deadline_fails_only_the_request(void **state)
{
	uint32_t late;

	assert_int_equal(ask(1), 0);
	late = take_request();
	client.slots[0].deadline_ms = 0;
	parser_client_round(&client);
	assert_int_equal(answered, 1);
	assert_int_equal(last_failure, TM_PARSE_DEADLINE);
	assert_true(client.socket >= 0);
	assert_true(client.slots[0].used); /* the parser may still be working on it */
	assert_true(client.memory.used > 0);
	send_result(late, PARSER_OK, STDIN_FILENO);
	assert_int_equal(answered, 1);
	assert_false(client.slots[0].used);
	assert_int_equal(client.memory.used, 0);
	assert_true(client.socket >= 0);
	assert_int_equal(asked_for_another(), 0);
	assert_int_equal(client.counts.failures[TM_PARSE_DEADLINE], 1);
}

static void malformed_messages_close_the_parser(void **state)
{
	static const struct parser_message wrong[] = {
		{.kind = PARSER_ROWS},
		{.kind = PARSER_RESULT, .status = PARSER_STATUS_N},
		{.kind = PARSER_RESULT, .status = PARSER_OK}, /* without its result */
		{.kind = PARSER_RESULT, .id = 77, .status = PARSER_NOT_ELF},
	};

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct parser_message message = wrong[i];

		assert_int_equal(ask(i), 0);
		message.id += take_request();
		assert_int_equal(tm_fdpass_send(parser[1], &message, sizeof(message), -1, 0), 0);
		parser_client_round(&client);
		assert_int_equal(client.socket, -1);
		assert_int_equal(answered, i + 1);
		assert_int_equal(last_failure, TM_PARSE_NO_PARSER);
		assert_int_equal(client.counts.lost, i + 1);
		(void)close(parser[1]);
		connect_parser();
	}
	assert_int_equal(ask(9), 0);
	assert_int_equal(send(parser[1], "short", 5, 0), 5);
	parser_client_round(&client);
	assert_int_equal(client.socket, -1);
}

static void idle_parser_that_dies_is_noticed_and_replaced(void **state)
{
	(void)close(parser[1]);
	parser_client_round(&client);
	assert_int_equal(client.socket, -1);
	assert_int_equal(asked_for_another(), 1);
	assert_int_equal(ask(1), PARSER_CLIENT_E_NONE);
	connect_parser();
	assert_int_equal(ask(1), 0);
	send_result(take_request(), PARSER_NOT_ELF, -1);
	assert_int_equal(answered, 1);
	assert_int_equal(client.counts.lost, 1);
	(void)close(parser[1]);
	parser_client_round(&client);
	client.retry_ms = 0;
	parser_client_round(&client);
	assert_in_range(asked_for_another(), 1, 2); /* by the number of the second one */
}

static void command_is_asked_again_with_growing_pauses(void **state)
{
	int64_t pause = PARSER_CLIENT_PAUSE_MS;

	(void)close(parser[1]);
	parser_client_round(&client);
	assert_int_equal(asked_for_another(), 1);
	for (int i = 0; i < 10; i++) {
		parser_client_round(&client);
		assert_int_equal(asked_for_another(), 0); /* the pause is not over */
		assert_in_range(client.retry_ms - (int64_t)tm_clock_ms(), pause / 2, pause);
		pause = pause < PARSER_CLIENT_PAUSE_MAX ? 2 * pause : pause;
		client.retry_ms = 0;
		parser_client_round(&client);
		assert_int_equal(asked_for_another(), 1);
	}
	connect_parser();
	assert_int_equal(ask(1), 0);
	send_result(take_request(), PARSER_NOT_ELF, -1);
	assert_int_equal(client.retry_pause_ms, PARSER_CLIENT_PAUSE_MS); /* that parser works */
}

static void unneeded_parser_is_closed(void **state)
{
	int more[2];
	char byte;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, more), 0);
	parser_client_attach(&client, more[0], connected);
	assert_int_equal(client.socket, parser[0]);
	assert_int_equal(recv(more[1], &byte, 1, MSG_DONTWAIT), 0);
	(void)close(more[1]);
}

static void cancelled_request_is_not_called_back(void **state)
{
	assert_int_equal(ask(1), 0);
	parser_client_cancel(&client, &answered);
	send_result(take_request(), PARSER_OK, STDIN_FILENO);
	assert_int_equal(answered, 0);
	assert_true(client.socket >= 0);
	assert_true(parser_client_is_ready(&client));
}

static void slow_requests_do_not_keep_others_waiting(void **state)
{
	unsigned open = 0;

	while (parser_client_is_ready(&client)) {
		assert_int_equal(ask(open), 0);
		client.slots[open++].sent_ms -= PARSER_SLOW_MS;
	}
	assert_int_equal(open, PARSER_OPEN_MAX);
	assert_int_equal(ask(9), PARSER_CLIENT_E_BUSY);
	send_result(take_request(), PARSER_TIMEOUT, -1);
	assert_int_equal(last_failure, TM_PARSE_DEADLINE);
	assert_int_equal(ask(9), 0);
}

#define case_of(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		case_of(each_request_is_answered_once),
		case_of(no_more_requests_are_open_than_the_parser_takes),
		case_of(missed_deadline_fails_only_the_request),
		case_of(malformed_messages_close_the_parser),
		case_of(idle_parser_that_dies_is_noticed_and_replaced),
		case_of(command_is_asked_again_with_growing_pauses),
		case_of(unneeded_parser_is_closed),
		case_of(cancelled_request_is_not_called_back),
		case_of(slow_requests_do_not_keep_others_waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
