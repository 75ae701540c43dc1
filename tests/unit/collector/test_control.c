/* SPDX-License-Identifier: Apache-2.0 */
/* test_control - the collector accepts the commands that are meant for it, and no others */

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sys/socket.h>
#include <unistd.h>

#include "collector/control.h"
#include "shared/control.h"
#include "shared/fdpass.h"

static int ends[2]; /* the collector's, the command's */

static int make(void **state)
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends);
}

static int unmake(void **state)
{
	(void)close(ends[0]);
	return ends[1] < 0 ? 0 : close(ends[1]);
}

static void send_kind(uint32_t kind, uint64_t value, int fd)
{
	const struct tm_control message = {.kind = kind, .value = value};

	assert_int_equal(tm_fdpass_send(ends[1], &message, sizeof(message), fd, 0), 0);
}

/* Open descriptors of this process. */
static unsigned count_fds(void)
{
	unsigned count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void every_command_arrives_with_its_value(void **state)
{
	static const uint32_t sent[] = {TM_CONTROL_SELECT, TM_CONTROL_ANNOUNCE, TM_CONTROL_START,
					TM_CONTROL_STOP};
	struct control_command command;

	assert_int_equal(control_receive(ends[0], &command), CONTROL_E_NONE);
	for (size_t i = 0; i < 4; i++) {
		send_kind(sent[i], 100 + i, -1);
		assert_int_equal(control_receive(ends[0], &command), 0);
		assert_int_equal(command.kind, sent[i]);
		assert_int_equal(command.value, 100 + i);
		assert_int_equal(command.fd, -1);
	}
	assert_int_equal(control_receive(ends[0], &command), CONTROL_E_NONE);
}

static void cpu_and_symbolizer_come_with_their_descriptor(void **state)
{
	static const uint32_t sent[] = {TM_CONTROL_CPU, TM_CONTROL_ATTACH};
	struct control_command command;

	for (size_t i = 0; i < 2; i++) {
		send_kind(sent[i], 3, STDIN_FILENO);
		assert_int_equal(control_receive(ends[0], &command), 0);
		assert_int_equal(command.kind, sent[i]);
		assert_true(command.fd >= 0);
		assert_int_equal(close(command.fd), 0);
	}
}

static void message_without_its_descriptor_is_skipped(void **state)
{
	struct control_command command;
	unsigned before = count_fds();

	send_kind(TM_CONTROL_CPU, 3, -1);
	send_kind(TM_CONTROL_ATTACH, 0, -1);
	send_kind(TM_CONTROL_STOP, 0, STDIN_FILENO); /* has a descriptor too many */
	assert_int_equal(control_receive(ends[0], &command), 0);
	assert_int_equal(command.kind, TM_CONTROL_STOP);
	assert_int_equal(command.fd, -1);
	assert_int_equal(control_receive(ends[0], &command), CONTROL_E_NONE);
	assert_int_equal(count_fds(), before);
}

static void message_of_another_size_ends_the_connection(void **state)
{
	struct control_command command;

	assert_int_equal(send(ends[1], "stop", 4, 0), 4);
	assert_int_equal(control_receive(ends[0], &command), CONTROL_E_CLOSED);
}

static void end_of_the_command_is_noticed_after_its_last_message(void **state)
{
	struct control_command command;

	send_kind(TM_CONTROL_START, 0, -1);
	(void)close(ends[1]);
	ends[1] = -1;
	assert_int_equal(control_receive(ends[0], &command), 0);
	assert_int_equal(control_receive(ends[0], &command), CONTROL_E_CLOSED);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(every_command_arrives_with_its_value),
		CASE(cpu_and_symbolizer_come_with_their_descriptor),
		CASE(message_without_its_descriptor_is_skipped),
		CASE(message_of_another_size_ends_the_connection),
		CASE(end_of_the_command_is_noticed_after_its_last_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
