/* SPDX-License-Identifier: Apache-2.0 */
/* test_collector_link - the memory that the collector leaves is believed within its limits alone */

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "shared/fdpass.h"
#include "symbolizer/profile/collector_link.h"

#define MOST (64ull << 20)

static int wire[2], control[2]; /* ours, the other side's */
static uint64_t bytes;

static int begin(void **state)
{
	bytes = 7;
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, wire) |
	       socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control);
}

static int end(void **state)
{
	return close(wire[0]) | close(control[0]);
}

static int receive(const struct tm_wire *message, int fd)
{
	if (message)
		assert_int_equal(tm_fdpass_send(wire[1], message, sizeof(*message), fd, 0), 0);
	(void)close(wire[1]);
	(void)close(control[1]);
	return collector_link_memory(wire[0], control[0], MOST, &bytes);
}

static void what_is_left_is_taken(void **state)
{
	const struct tm_wire message = {.kind = TM_WIRE_MEMORY, .value = MOST};
	int open_control = dup(control[1]); /* else its end would count first */

	assert_int_equal(receive(&message, -1), 0);
	assert_int_equal(bytes, MOST);
	(void)close(open_control);
}

static void other_messages_are_refused(void **state)
{
	static const struct tm_wire wrong[] = {
		{.kind = TM_WIRE_MEMORY, .value = MOST + 1},
		{.kind = TM_WIRE_MEMORY, .value = UINT64_MAX},
		{.kind = TM_WIRE_MEMORY, .value = 0},
		{.kind = TM_WIRE_MEMORY, .value = (1 << 20) - 1},
		{.kind = TM_WIRE_ATTACH, .value = MOST},
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		int open_control;

		if (i > 0)
			assert_int_equal(begin(state), 0);
		open_control = dup(control[1]);
		assert_int_equal(receive(&wrong[i], -1), -EBADMSG);
		assert_int_equal(bytes, 7);
		(void)close(open_control);
		if (i + 1 < sizeof(wrong) / sizeof(*wrong))
			assert_int_equal(end(state), 0);
	}
}

static void descriptor_is_refused(void **state)
{
	const struct tm_wire message = {.kind = TM_WIRE_MEMORY, .value = MOST};
	int open_control = dup(control[1]);

	assert_int_equal(receive(&message, STDIN_FILENO), -EBADMSG);
	(void)close(open_control);
}

static void collector_or_command_that_is_gone_ends_the_wait(void **state)
{
	int open_control = dup(control[1]);

	assert_int_equal(receive(NULL, -1), -EPIPE);
	(void)close(open_control);
	assert_int_equal(collector_link_memory(wire[0], control[0], MOST, &bytes), -EPIPE);
	assert_int_equal(bytes, 7);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(what_is_left_is_taken),
		CASE(other_messages_are_refused),
		CASE(descriptor_is_refused),
		CASE(collector_or_command_that_is_gone_ends_the_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
