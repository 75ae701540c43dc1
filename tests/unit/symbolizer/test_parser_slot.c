/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_parser_slot - the memory that is charged for a parser's worker: it grows, waits and runs out
 */

#include "tests/unit/symbolizer/full_socket.h"
#include "tests/unit/symbolizer/parser_client_peer.h"

/* The parser's side. Return: the request, of which it takes the descriptor. */
static struct parser_message take_file(void)
{
	struct parser_message request;
	int fd;

	assert_int_equal(tm_fdpass_recv(parser[1], &request, sizeof(request), &fd, MSG_DONTWAIT),
			 0);
	assert_true(fd >= 0);
	(void)close(fd);
	return request;
}

static void memory_is_charged_and_grows_with_what_a_worker_needs(void **state)
{
	const struct parser_client_request request = {.kind = PARSER_SYMBOLS,
						      .target = STDIN_FILENO,
						      .value = 5,
						      .context = &answered,
						      .fn = on_answer};
	struct parser_message message;
	uint64_t charged = PARSER_SLOT_FIRST_BYTES;

	client.memory.limit = 100 << 20;
	assert_int_equal(parser_client_ask(&client, &request), 0);
	for (; charged < client.memory.limit; charged *= PARSER_SLOT_GROWTH) {
		message = take_file();
		assert_int_equal((uint64_t)message.memory_kib << 10, charged);
		assert_int_equal(client.memory.used, charged);
		send_result(message.id, PARSER_MEMORY, -1);
	}
	message = take_file();
	assert_int_equal(message.memory_kib, 92 << 10); /* what there is, without that for others */
	assert_int_equal(client.memory.used, client.memory.limit - PARSER_SLOT_OTHERS_BYTES);
	assert_int_equal(answered, 0);
	send_result(message.id, PARSER_MEMORY, -1);
	assert_int_equal(answered, 1);
	assert_int_equal(last_failure, TM_PARSE_BUDGET);
	assert_int_equal(client.memory.used, 0);
	assert_int_equal(client.quarantine.added, 0);
}

static void request_waits_while_another_worker_has_the_memory(void **state)
{
	uint32_t first, second;

	client.memory.limit = 5 * PARSER_SLOT_FIRST_BYTES + PARSER_SLOT_OTHERS_BYTES;
	assert_int_equal(ask(1), 0);
	assert_int_equal(ask(2), 0);
	first = take_request();
	second = take_request();
	send_result(first, PARSER_MEMORY, -1);
	first = take_request(); /* has all that was left for it */
	assert_int_equal(client.memory.used, client.memory.limit - PARSER_SLOT_OTHERS_BYTES);
	send_result(second, PARSER_MEMORY, -1);
	assert_int_equal(answered, 0);
	send_result(first, PARSER_NOT_ELF, -1);
	assert_int_equal(answered, 1);
	assert_int_equal(last_value, 1);
	send_result(take_request(), PARSER_MEMORY, -1);
	assert_int_equal(answered, 2); /* nobody has what it lacks */
	assert_int_equal(last_failure, TM_PARSE_BUDGET);
	assert_int_equal(client.memory.used, 0);
}

static void request_that_waits_ends_by_its_deadline_and_when_cancelled(void **state)
{
	client.memory.limit = 2 * PARSER_SLOT_FIRST_BYTES;
	for (unsigned cancels = 0; cancels < 2; cancels++) {
		uint32_t first;

		assert_int_equal(ask(1), 0);
		assert_int_equal(ask(2), 0);
		first = take_request();
		send_result(take_request(), PARSER_MEMORY, -1);
		assert_true(client.slots[1].waits);
		if (cancels)
			parser_client_cancel(&client, &answered);
		else
			client.slots[1].deadline_ms = 0;
		parser_client_round(&client);
		assert_false(client.slots[1].used);
		send_result(first, PARSER_NOT_ELF, -1);
		assert_int_equal(client.memory.used, 0);
	}
	assert_int_equal(client.counts.failures[TM_PARSE_DEADLINE], 1);
}

static void worker_that_needs_more_than_the_most_fails_by_memory(void **state)
{
	assert_int_equal(ask(1), 0);
	while (client.slots[0].memory < PARSER_MEMORY_MOST)
		send_result(take_request(), PARSER_MEMORY, -1);
	assert_int_equal(answered, 0);
	send_result(take_request(), PARSER_MEMORY, -1);
	assert_int_equal(answered, 1);
	assert_int_equal(last_failure, TM_PARSE_MEMORY);
}

static void request_beyond_the_budget_is_refused(void **state)
{
	client.memory.limit = PARSER_SLOT_LEAST_BYTES - 1;
	assert_int_equal(ask(1), PARSER_CLIENT_E_MEMORY);
	assert_int_equal(parser_client_failure(PARSER_CLIENT_E_MEMORY), TM_PARSE_BUDGET);
	assert_int_equal(client.memory.used, 0);
	assert_true(parser_client_is_ready(&client));
	client.memory.limit = 2 * PARSER_SLOT_LEAST_BYTES; /* for two */
	assert_int_equal(ask(2), 0);
	assert_int_equal(ask(3), 0);
	send_result(take_request(), PARSER_NOT_ELF, -1);
	assert_int_equal(client.memory.used, PARSER_SLOT_LEAST_BYTES);
}

static void new_request_waits_while_workers_have_the_memory(void **state)
{
	uint32_t first;

	client.memory.limit = PARSER_SLOT_LEAST_BYTES; /* for one */
	assert_int_equal(ask(1), 0);
	first = take_request();
	assert_false(parser_client_is_ready(&client));
	assert_int_equal(ask(2), PARSER_CLIENT_E_BUSY);
	send_result(first, PARSER_NOT_ELF, -1);
	assert_true(parser_client_is_ready(&client));
	assert_int_equal(ask(2), 0);
	send_result(take_request(), PARSER_NOT_ELF, -1);
	assert_int_equal(answered, 2);
	assert_int_equal(client.counts.failures[TM_PARSE_BUDGET], 0);
}

static void request_that_grows_leaves_memory_for_others(void **state)
{
	uint32_t slow;

	client.memory.limit = 100 << 20;
	assert_int_equal(ask(1), 0);
	for (slow = take_request(); client.slots[0].memory < 92 << 20; slow = take_request())
		send_result(slow, PARSER_MEMORY, -1);
	assert_int_equal(ask(2), 0);
	send_result(take_request(), PARSER_NOT_ELF, -1);
	assert_int_equal(last_value, 2);
	send_result(slow, PARSER_NOT_ELF, -1);
	assert_int_equal(answered, 2);
	assert_int_equal(client.memory.used, 0);
}

static void request_that_a_full_socket_refuses_costs_neither_memory_nor_the_parser(void **state)
{
	unsigned count = full_socket_fill(client.socket);

	assert_int_equal(ask(1), PARSER_CLIENT_E_BUSY);
	assert_int_equal(client.memory.used, 0);
	full_socket_empty(parser[1], count);
	assert_int_equal(ask(1), 0);
	send_result(take_request(), PARSER_NOT_ELF, -1);
	assert_int_equal(answered, 1);
	assert_int_equal(client.counts.lost, 0);
}

/* Its worker needs more, and the socket is full. Return: messages in it. */
static unsigned grow_unsent(void)
{
	unsigned count;
	uint32_t id;

	assert_int_equal(ask(1), 0);
	id = take_request();
	count = full_socket_fill(client.socket);
	send_result(id, PARSER_MEMORY, -1);
	parser_client_round(&client);
	assert_true(client.slots[0].waits);
	assert_int_equal(client.memory.used, PARSER_SLOT_FIRST_BYTES * PARSER_SLOT_GROWTH);
	return count;
}

static void request_that_grows_waits_until_the_parser_reads(void **state)
{
	full_socket_empty(parser[1], grow_unsent());
	parser_client_round(&client);
	send_result(take_request(), PARSER_NOT_ELF, -1);
	assert_int_equal(answered, 1);
	assert_int_equal(client.memory.used, 0);
	assert_int_equal(client.counts.lost, 0);
}

static void request_that_grows_ends_by_its_deadline_where_the_parser_does_not_read(void **state)
{
	(void)grow_unsent();
	client.slots[0].deadline_ms = 0;
	parser_client_round(&client);
	assert_int_equal(last_failure, TM_PARSE_DEADLINE);
	assert_false(client.slots[0].used);
	assert_int_equal(client.memory.used, 0);
	assert_int_equal(client.counts.lost, 0);
}

#define case_of(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		case_of(memory_is_charged_and_grows_with_what_a_worker_needs),
		case_of(request_waits_while_another_worker_has_the_memory),
		case_of(request_that_waits_ends_by_its_deadline_and_when_cancelled),
		case_of(worker_that_needs_more_than_the_most_fails_by_memory),
		case_of(request_beyond_the_budget_is_refused),
		case_of(new_request_waits_while_workers_have_the_memory),
		case_of(request_that_grows_leaves_memory_for_others),
		case_of(request_that_a_full_socket_refuses_costs_neither_memory_nor_the_parser),
		case_of(request_that_grows_waits_until_the_parser_reads),
		case_of(request_that_grows_ends_by_its_deadline_where_the_parser_does_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
