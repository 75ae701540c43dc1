/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_server_in_flight - the real parser, while its account has many descriptors in flight
 *
 * The kernel counts them for the account, and compares that with RLIMIT_NOFILE of who sends one
 * more (too_many_unix_fds, net/unix): those of the symbolizer, and of each other symbolizer of the
 * host under the same account, keep a worker from answering.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sys/resource.h>
#include <sys/socket.h>

#include "tests/unit/parser/server_requests.h"
#include "tests/unit/parser/symbols_view.h"

#define NOBODY   65534
#define AT_ONCE  253 /* descriptors of a message: SCM_MAX_FD, include/net/scm.h */
#define SOME     512
#define TOO_MANY (TM_FDPASS_DESCRIPTORS + AT_ONCE)

static int become_nobody(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 1;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		return 1;
	return geteuid() ? 0 : setresuid(NOBODY, NOBODY, NOBODY);
}

/* Runs in a child. Return: exit code. */
static int send_unread(int socket, unsigned count)
{
	union {
		char bytes[CMSG_SPACE(AT_ONCE * sizeof(int))];
		struct cmsghdr head;
	} control = {0};
	char byte = 0;
	struct iovec part = {&byte, 1};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};

	control.head.cmsg_len = CMSG_LEN(AT_ONCE * sizeof(int));
	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	for (unsigned i = 0; i < AT_ONCE; i++)
		memcpy(CMSG_DATA(&control.head) + i * sizeof(int), &socket, sizeof(int));
	if (become_nobody())
		return 1;
	for (unsigned sent = 0; sent < count; sent += AT_ONCE)
		if (sendmsg(socket, &message, MSG_DONTWAIT) != 1)
			return 2;
	return 0;
}

/* Return: a socket; until it is closed at least so many descriptors of the account are in flight */
static int put_in_flight(unsigned count)
{
	int ends[2], status;
	pid_t pid;

	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends), 0);
	pid = fork();
	if (pid == 0)
		_exit(send_unread(ends[1], count));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	(void)close(ends[1]);
	return ends[0];
}

static void some_in_flight_do_not_keep_a_worker_from_answering(void **state)
{
	int unread = put_in_flight(SOME);

	assert_int_equal(status_of(&elf, ELF_BUILDER_BYTES), PARSER_OK);
	(void)close(unread);
}

static void too_many_in_flight_are_no_fault_of_the_file(void **state)
{
	int unread = put_in_flight(TOO_MANY);

	assert_int_equal(status_of(&elf, ELF_BUILDER_BYTES), PARSER_FAILED);
	(void)close(unread);
	assert_int_equal(status_of(&elf, ELF_BUILDER_BYTES), PARSER_OK);
}

#define as_nobody(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		as_nobody(some_in_flight_do_not_keep_a_worker_from_answering),
		as_nobody(too_many_in_flight_are_no_fault_of_the_file),
	};

	if (argc != 2)
		return 2;
	program = argv[1];
	prepare_parser = become_nobody;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
