/* SPDX-License-Identifier: Apache-2.0 */
/* test_symbolizer_link - HELLO, CREDIT and UNWIND_TABLE are accepted; other messages close the wire
 */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collector/file_requests.h"
#include "shared/cleanup.h"
#include "shared/fdpass.h"
#include "shared/unwind_map.h"

struct wire {
	struct symbolizer_link link;
	struct tm_wire received; /* the last UNWIND_TABLE */
	int peer;
};

static int wire_init(struct wire *wire)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	symbolizer_link_init(&wire->link, pair[0]);
	wire->peer = pair[1];
	return 0;
}

static void wire_deinit(struct wire *wire)
{
	symbolizer_link_deinit(&wire->link);
	(void)close(wire->peer);
}

static int make(void **state)
{
	*state = calloc(1, sizeof(struct wire));
	return *state ? wire_init(*state) : -1;
}

static int unmake(void **state)
{
	wire_deinit(*state);
	free(*state);
	return 0;
}

/* Return: as symbolizer_link_receive; the descriptor of a table is closed. */
static int receive(struct wire *wire)
{
	int fd = -1;
	int r = symbolizer_link_receive(&wire->link, &wire->received, &fd);

	assert_int_equal(fd >= 0, r == SYMBOLIZER_LINK_E_TABLE || r == SYMBOLIZER_LINK_E_AHEAD);
	(void)tm_close(fd);
	return r;
}

static int send_message(struct wire *wire, const struct tm_wire *message)
{
	assert_int_equal(tm_fdpass_send(wire->peer, message, sizeof(*message), -1, 0), 0);
	return receive(wire);
}

static int send_kind(struct wire *wire, uint32_t kind, uint64_t value)
{
	const struct tm_wire message = {.kind = kind, .value = value};

	return send_message(wire, &message);
}

static void hello_and_credit_are_accepted(void **state)
{
	struct wire *wire = *state;

	assert_int_equal(receive(wire), 0);
	assert_int_equal(send_kind(wire, TM_WIRE_HELLO, TM_WIRE_VERSION), 0);
	assert_int_equal(send_kind(wire, TM_WIRE_CREDIT, 1), 0);
	assert_true(wire->link.greeted);
	assert_int_equal(wire->link.violations, 0);
}

static void request_of_a_debug_file_is_for_the_caller_who_may_refuse_it(void **state)
{
	struct tm_wire message = {.kind = TM_WIRE_DEBUG_FILE,
				  .number = 12,
				  .value = 3,
				  .text_bytes = 2,
				  .text = "ls"};
	struct wire *wire = *state;

	assert_int_equal(send_message(wire, &message), SYMBOLIZER_LINK_E_DEBUG);
	assert_memory_equal(&wire->received, &message, sizeof(message));
	symbolizer_link_refuse(&wire->link);
	assert_int_equal(wire->link.fd, -1);
	assert_int_equal(wire->link.violations, 1);
}

static void rate_is_taken_and_the_last_one_holds(void **state)
{
	struct tm_wire message = {.kind = TM_WIRE_RATE, .number = TM_WEIGHTS_N - 1, .value = 7};
	struct wire *wire = *state;

	assert_int_equal(send_message(wire, &message), 0);
	assert_int_equal(wire->link.rate.number, TM_WEIGHTS_N - 1);
	assert_int_equal(wire->link.rate.value, 7);
	message.number = 2;
	message.value = 0;
	assert_int_equal(send_message(wire, &message), 0);
	assert_int_equal(wire->link.rate.number, 2);
	assert_int_equal(wire->link.rate.value, 0);
}

static void any_other_message_closes_the_wire(void **state)
{
	static const struct tm_wire wrong[] = {
		{.kind = 0},
		{.kind = TM_WIRE_ATTACH},
		{.kind = TM_WIRE_FILE, .number = 1},
		{.kind = TM_WIRE_END},
		{.kind = 0xffffffff},
		{.kind = TM_WIRE_HELLO, .value = TM_WIRE_VERSION + 1},
		{.kind = TM_WIRE_UNWIND_TABLE, .number = 1},
		{.kind = TM_WIRE_CREDIT, .value = 0},
		{.kind = TM_WIRE_CREDIT, .value = TM_FILES_IN_FLIGHT + 1},
		{.kind = TM_WIRE_CREDIT, .value = UINT64_MAX},
		{.kind = TM_WIRE_DEBUG_FILE, .number = SYMBOLIZER_LINK_NUMBERS},
		{.kind = TM_WIRE_OPENED},
		{.kind = TM_WIRE_RATE, .number = TM_WEIGHTS_N},
		{.kind = TM_WIRE_RATE, .number = UINT32_MAX},
		{.kind = TM_WIRE_AHEAD, .text_bytes = sizeof(struct tm_identity)},
	};

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct wire wire = {0};

		assert_int_equal(wire_init(&wire), 0);
		assert_int_equal(send_message(&wire, &wrong[i]), SYMBOLIZER_LINK_E_CLOSED);
		assert_int_equal(wire.link.fd, -1);
		assert_int_equal(wire.link.violations, 1);
		wire_deinit(&wire);
	}
}

static void tables_ahead_are_received_until_the_last_one_is_said_to_have_come(void **state)
{
	struct tm_wire message = {.kind = TM_WIRE_AHEAD, .text_bytes = sizeof(struct tm_identity)};
	struct wire *wire = *state;

	assert_int_equal(tm_fdpass_send(wire->peer, &message, sizeof(message), STDIN_FILENO, 0), 0);
	assert_int_equal(receive(wire), SYMBOLIZER_LINK_E_AHEAD);
	assert_false(wire->link.ahead_ended);
	assert_int_equal(send_kind(wire, TM_WIRE_AHEAD, 0), 0);
	assert_true(wire->link.ahead_ended);
	assert_int_equal(tm_fdpass_send(wire->peer, &message, sizeof(message), STDIN_FILENO, 0), 0);
	assert_int_equal(receive(wire), SYMBOLIZER_LINK_E_CLOSED);
	assert_int_equal(wire->link.violations, 1);
}

static void table_ahead_without_an_identity_closes_the_wire(void **state)
{
	const struct tm_wire message = {.kind = TM_WIRE_AHEAD, .text_bytes = 1};
	struct wire *wire = *state;

	assert_int_equal(tm_fdpass_send(wire->peer, &message, sizeof(message), STDIN_FILENO, 0), 0);
	assert_int_equal(receive(wire), SYMBOLIZER_LINK_E_CLOSED);
}

static void second_hello_closes_the_wire(void **state)
{
	struct wire *wire = *state;

	assert_int_equal(send_kind(wire, TM_WIRE_HELLO, TM_WIRE_VERSION), 0);
	assert_int_equal(send_kind(wire, TM_WIRE_HELLO, TM_WIRE_VERSION), SYMBOLIZER_LINK_E_CLOSED);
}

static void message_of_another_size_closes_the_wire(void **state)
{
	struct wire *wire = *state;

	assert_int_equal(send(wire->peer, "short", 5, 0), 5);
	assert_int_equal(receive(wire), SYMBOLIZER_LINK_E_CLOSED);
	assert_int_equal(wire->link.violations, 1);
}

static void descriptor_from_the_symbolizer_closes_the_wire(void **state)
{
	struct wire *wire = *state;
	const struct tm_wire message = {.kind = TM_WIRE_CREDIT, .value = 1};

	assert_int_equal(tm_fdpass_send(wire->peer, &message, sizeof(message), STDIN_FILENO, 0), 0);
	assert_int_equal(receive(wire), SYMBOLIZER_LINK_E_CLOSED);
}

static int send_table(struct wire *wire, uint32_t number, int fd)
{
	const struct tm_wire message = {.kind = TM_WIRE_UNWIND_TABLE, .number = number, .value = 5};

	assert_int_equal(tm_fdpass_send(wire->peer, &message, sizeof(message), fd, 0), 0);
	return receive(wire);
}

static void tables_are_received_one_at_a_time_with_their_descriptor(void **state)
{
	struct wire *wire = *state;
	const struct tm_wire message = {.kind = TM_WIRE_UNWIND_TABLE, .number = 7, .value = 5};

	for (int i = 0; i < 3; i++)
		assert_int_equal(
			tm_fdpass_send(wire->peer, &message, sizeof(message), STDIN_FILENO, 0), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(receive(wire), SYMBOLIZER_LINK_E_TABLE);
		assert_int_equal(wire->received.number, 7);
		assert_int_equal(wire->received.value, 5);
	}
	assert_int_equal(receive(wire), 0);
	assert_int_equal(send_table(wire, FILE_REQUESTS_MAX - 1, STDIN_FILENO),
			 SYMBOLIZER_LINK_E_TABLE);
	assert_int_equal(send_table(wire, TM_UNWIND_MAP_VDSO, STDIN_FILENO),
			 SYMBOLIZER_LINK_E_TABLE);
	assert_int_equal(wire->link.violations, 0);
}

static void malformed_table_message_closes_the_wire(void **state)
{
	static const struct {
		uint32_t number;
		int fd;
	} wrong[] = {{7, -1}, {FILE_REQUESTS_MAX, 0}, {UINT32_MAX, 0}, {TM_UNWIND_MAP_VDSO - 1, 0}};

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct wire wire = {0};

		assert_int_equal(wire_init(&wire), 0);
		assert_int_equal(send_table(&wire, wrong[i].number, wrong[i].fd),
				 SYMBOLIZER_LINK_E_CLOSED);
		assert_int_equal(wire.link.violations, 1);
		wire_deinit(&wire);
	}
}

static void failure_comes_without_a_descriptor_and_for_a_file_alone(void **state)
{
	struct wire *wire = *state;
	const struct tm_wire failed = {
		.kind = TM_WIRE_UNWIND_FAILED, .number = FILE_REQUESTS_MAX - 1, .value = 5};
	struct tm_wire wrong = failed, again = failed;

	again.kind = TM_WIRE_FILE_AGAIN;
	assert_int_equal(tm_fdpass_send(wire->peer, &again, sizeof(again), -1, 0), 0);
	assert_int_equal(receive(wire), SYMBOLIZER_LINK_E_FAILED);
	assert_int_equal(tm_fdpass_send(wire->peer, &failed, sizeof(failed), -1, 0), 0);
	assert_int_equal(receive(wire), SYMBOLIZER_LINK_E_FAILED);
	assert_int_equal(wire->received.number, FILE_REQUESTS_MAX - 1);
	assert_int_equal(wire->received.value, 5);
	for (int i = 0; i < 3; i++) {
		void *fresh;

		wrong.number = i == 1 ? FILE_REQUESTS_MAX : i == 2 ? TM_UNWIND_MAP_VDSO : 7;
		assert_int_equal(make(&fresh), 0);
		wire = fresh;
		assert_int_equal(tm_fdpass_send(wire->peer, &wrong, sizeof(wrong),
						i == 0 ? STDIN_FILENO : -1, 0),
				 0);
		assert_int_equal(receive(wire), SYMBOLIZER_LINK_E_CLOSED);
		assert_int_equal(wire->link.violations, 1);
		assert_int_equal(unmake(&fresh), 0);
	}
}

/* tm_fdpass_send cannot send two descriptors. */
static void table_with_two_descriptors_closes_the_wire_and_leaks_none(void **state)
{
	struct wire *wire = *state;
	struct tm_wire message = {.kind = TM_WIRE_UNWIND_TABLE, .number = 7};
	union {
		char bytes[CMSG_SPACE(2 * sizeof(int))];
		struct cmsghdr header;
	} control = {.header = {CMSG_LEN(2 * sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
	struct iovec part = {&message, sizeof(message)};
	struct msghdr header = {.msg_iov = &part,
				.msg_iovlen = 1,
				.msg_control = &control,
				.msg_controllen = sizeof(control)};
	int before = dup(STDIN_FILENO), after;

	(void)close(before);
	memset(CMSG_DATA(&control.header), 0, 2 * sizeof(int));
	assert_int_equal(sendmsg(wire->peer, &header, 0), (ssize_t)sizeof(message));
	assert_int_equal(receive(wire), SYMBOLIZER_LINK_E_CLOSED);
	assert_int_equal(wire->link.violations, 1);
	after = dup(STDIN_FILENO);
	assert_true(after <= before);
	(void)close(after);
}

static void end_of_file_is_not_an_invalid_message(void **state)
{
	struct wire *wire = *state;

	(void)shutdown(wire->peer, SHUT_RDWR);
	assert_int_equal(receive(wire), SYMBOLIZER_LINK_E_CLOSED);
	assert_int_equal(wire->link.violations, 0);
}

static void files_wait_for_credit(void **state)
{
	struct wire *wire = *state;
	const struct tm_wire file = {.kind = TM_WIRE_FILE, .number = 7};
	const struct tm_wire none = {.kind = TM_WIRE_NO_FILE, .number = 8};
	unsigned sent = 0;

	while (sent <= TM_FILES_IN_FLIGHT &&
	       symbolizer_link_send(&wire->link, &file, STDIN_FILENO) == 0) {
		struct tm_wire got;
		int fd = -1;

		sent++;
		assert_int_equal(tm_fdpass_recv(wire->peer, &got, sizeof(got), &fd, 0), 0);
		assert_int_equal(got.number, 7);
		assert_true(fd >= 0);
		(void)close(fd);
	}
	assert_int_equal(sent, TM_FILES_IN_FLIGHT);
	assert_int_equal(symbolizer_link_send(&wire->link, &none, -1), 0); /* it takes no credit */
	assert_int_equal(send_kind(wire, TM_WIRE_CREDIT, 2), 0);
	assert_int_equal(symbolizer_link_send(&wire->link, &file, STDIN_FILENO), 0);
	assert_int_equal(symbolizer_link_send(&wire->link, &file, STDIN_FILENO), 0);
	assert_int_equal(symbolizer_link_send(&wire->link, &file, STDIN_FILENO),
			 SYMBOLIZER_LINK_E_AGAIN);
}

static void credit_never_exceeds_the_window(void **state)
{
	struct wire *wire = *state;

	for (int i = 0; i < 100; i++)
		assert_int_equal(send_kind(wire, TM_WIRE_CREDIT, TM_FILES_IN_FLIGHT), 0);
	assert_int_equal(wire->link.credit, TM_FILES_IN_FLIGHT);
}

static void send_never_waits_for_a_full_socket(void **state)
{
	struct wire *wire = *state;
	const struct tm_wire none = {.kind = TM_WIRE_NO_FILE, .number = 1};
	int r = 0;

	for (int i = 0; i < 1000000 && r == 0; i++)
		r = symbolizer_link_send(&wire->link, &none, -1);
	assert_int_equal(r, SYMBOLIZER_LINK_E_AGAIN);
	assert_true(wire->link.fd >= 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(hello_and_credit_are_accepted),
		CASE(rate_is_taken_and_the_last_one_holds),
		CASE(request_of_a_debug_file_is_for_the_caller_who_may_refuse_it),
		CASE(any_other_message_closes_the_wire),
		CASE(tables_ahead_are_received_until_the_last_one_is_said_to_have_come),
		CASE(table_ahead_without_an_identity_closes_the_wire),
		CASE(second_hello_closes_the_wire),
		CASE(message_of_another_size_closes_the_wire),
		CASE(descriptor_from_the_symbolizer_closes_the_wire),
		CASE(tables_are_received_one_at_a_time_with_their_descriptor),
		CASE(malformed_table_message_closes_the_wire),
		CASE(failure_comes_without_a_descriptor_and_for_a_file_alone),
		CASE(table_with_two_descriptors_closes_the_wire_and_leaks_none),
		CASE(end_of_file_is_not_an_invalid_message),
		CASE(files_wait_for_credit),
		CASE(credit_never_exceeds_the_window),
		CASE(send_never_waits_for_a_full_socket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
