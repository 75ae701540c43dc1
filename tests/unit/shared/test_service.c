/* SPDX-License-Identifier: Apache-2.0 */
/* test_service - what systemd hands over is taken by name; states, descriptors and signs of life
 * arrive as it reads them */

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "shared/cleanup.h"
#include "shared/service.h"

#define NOTIFY "/notify"
#define SERVER "/server"

static char folder[] = "/tmp/tidemark-service.XXXXXX";
static struct tm_service service;

static int make_folder(void **state)
{
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	return rmdir(folder);
}

static void path_of(const char *name, struct sockaddr_un *ret_address)
{
	*ret_address = (struct sockaddr_un){.sun_family = AF_UNIX};
	(void)snprintf(ret_address->sun_path, sizeof(ret_address->sun_path), "%s%s", folder, name);
}

static int serve(const char *name, int type)
{
	struct sockaddr_un address;
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	path_of(name, &address);
	(void)unlink(address.sun_path);
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static void unserve(const char *name, int fd)
{
	struct sockaddr_un address;

	path_of(name, &address);
	(void)close(fd);
	assert_int_equal(unlink(address.sun_path), 0);
}

static void set_number(const char *name, long long number)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%lld", number);
	assert_int_equal(setenv(name, text, 1), 0);
}

static int clear(void **state)
{
	(void)unsetenv("NOTIFY_SOCKET");
	(void)unsetenv("WATCHDOG_USEC");
	(void)unsetenv("WATCHDOG_PID");
	(void)unsetenv("LISTEN_PID");
	(void)unsetenv("LISTEN_FDS");
	(void)unsetenv("LISTEN_FDNAMES");
	return 0;
}

static void program_without_a_manager_has_nothing_from_it(void **state)
{
	assert_int_equal(tm_service_init(&service), 0);
	assert_int_equal(service.count, 0);
	assert_int_equal(service.notify, -1);
	assert_int_equal(tm_service_take(&service, "symbolizer"), -1);
	tm_service_notify(&service, "READY=1"); /* goes nowhere */
	assert_int_equal(tm_service_store(&service, "x", &(int){0}, 1), -ENOTCONN);
	tm_service_deinit(&service);
}

/* In a child, whose descriptors from 3 on are ours to choose. */
static void descriptors_are_taken_by_name(void **state)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		for (int fd = 3; fd < 6; fd++)
			if (dup2(0, fd) < 0)
				_exit(2);
		set_number("LISTEN_PID", getpid());
		set_number("LISTEN_FDS", 3);
		(void)setenv("LISTEN_FDNAMES", "a:b:a", 1);
		_exit(tm_service_init(&service) != 0 || service.count != 3 ||
		      tm_service_take(&service, "b") != 4 || tm_service_take(&service, "a") != 3 ||
		      tm_service_take(&service, "a") != 5 || tm_service_take(&service, "a") != -1 ||
		      !(fcntl(3, F_GETFD) & FD_CLOEXEC));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void descriptors_of_another_process_are_not_ours(void **state)
{
	set_number("LISTEN_PID", getpid() + 1);
	set_number("LISTEN_FDS", 1);
	assert_int_equal(tm_service_init(&service), 0);
	assert_int_equal(service.count, 0);
	tm_service_deinit(&service);
}

static void expect_state(int notify, const char *state)
{
	char text[TM_SERVICE_STATE_MAX];
	ssize_t bytes = recv(notify, text, sizeof(text), MSG_DONTWAIT);

	assert_int_equal(bytes, (ssize_t)strlen(state));
	assert_memory_equal(text, state, strlen(state));
}

static void states_arrive(void **state)
{
	struct sockaddr_un address;
	int notify = serve(NOTIFY, SOCK_DGRAM);
	char nothing;

	path_of(NOTIFY, &address);
	(void)setenv("NOTIFY_SOCKET", address.sun_path, 1);
	set_number("WATCHDOG_USEC", 4000000);
	assert_int_equal(tm_service_init(&service), 0);
	tm_service_notify(&service, "READY=1\nSTATUS=%u CPUs", 7u);
	expect_state(notify, "READY=1\nSTATUS=7 CPUs");
	tm_service_alive(&service, 1000);
	expect_state(notify, "WATCHDOG=1");
	tm_service_alive(&service, 2999); /* not due: half of 4 s have not passed */
	assert_int_equal(recv(notify, &nothing, 1, MSG_DONTWAIT), -1);
	tm_service_alive(&service, 3000);
	expect_state(notify, "WATCHDOG=1");
	tm_service_deinit(&service);
	unserve(NOTIFY, notify);
}

static void watchdog_of_another_process_is_not_ours(void **state)
{
	set_number("WATCHDOG_USEC", 4000000);
	set_number("WATCHDOG_PID", getpid() + 1);
	assert_int_equal(tm_service_init(&service), 0);
	assert_int_equal(service.alive_ms, 0);
	tm_service_deinit(&service);
}

static void notification_socket_that_is_none_is_an_error(void **state)
{
	(void)setenv("NOTIFY_SOCKET", "relative", 1);
	assert_int_equal(tm_service_init(&service), -EINVAL);
	(void)setenv("NOTIFY_SOCKET", "/nowhere/at/all", 1);
	assert_int_equal(tm_service_init(&service), -ENOENT);
}

/* Return: descriptors that came with one message, which are closed. */
static size_t receive_descriptors(int notify, char *ret_text, size_t bytes)
{
	char control[CMSG_SPACE(sizeof(int) * TM_SERVICE_STORE_MAX)];
	struct iovec part = {ret_text, bytes - 1};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof(control)};
	ssize_t got = recvmsg(notify, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);
	size_t count;
	int fd;

	if (got < 0)
		return 0;
	ret_text[got] = '\0';
	assert_non_null(head);
	count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	for (size_t i = 0; i < count; i++) {
		memcpy(&fd, CMSG_DATA(head) + i * sizeof(int), sizeof(fd));
		(void)close(fd);
	}
	return count;
}

static void many_descriptors_are_stored_in_several_messages(void **state)
{
	struct sockaddr_un address;
	int notify = serve(NOTIFY, SOCK_DGRAM);
	int fds[TM_SERVICE_STORE_MAX + 2];
	char text[TM_SERVICE_STATE_MAX];

	path_of(NOTIFY, &address);
	(void)setenv("NOTIFY_SOCKET", address.sun_path, 1);
	assert_int_equal(tm_service_init(&service), 0);
	for (size_t i = 0; i < TM_SERVICE_STORE_MAX + 2; i++)
		fds[i] = 0;
	assert_int_equal(tm_service_store(&service, "perf-0-1", fds, TM_SERVICE_STORE_MAX + 2), 0);
	assert_int_equal(receive_descriptors(notify, text, sizeof(text)), TM_SERVICE_STORE_MAX);
	assert_string_equal(text, "FDSTORE=1\nFDPOLL=0\nFDNAME=perf-0-1");
	assert_int_equal(receive_descriptors(notify, text, sizeof(text)), 2);
	assert_int_equal(receive_descriptors(notify, text, sizeof(text)), 0);
	tm_service_deinit(&service);
	unserve(NOTIFY, notify);
}

static void signal_asks_the_program_to_end(void **state)
{
	sigset_t set;

	assert_int_equal(tm_service_init(&service), 0);
	assert_false(tm_service_is_stopped(&service));
	assert_int_equal(raise(SIGTERM), 0); /* blocked: it is read, and kills nobody */
	assert_true(tm_service_is_stopped(&service));
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGTERM);
	assert_int_equal(sigwaitinfo(&set, NULL), SIGTERM);
	tm_service_deinit(&service);
}

static void connection_is_accepted_when_it_is_there(void **state)
{
	struct sockaddr_un address;
	int listener = serve(SERVER, SOCK_SEQPACKET), client, server;

	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(fcntl(listener, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(tm_service_accept(listener), -1);
	assert_int_equal(tm_service_accept(-1), -1);
	path_of(SERVER, &address);
	client = tm_service_connect(address.sun_path);
	assert_true(client >= 0);
	server = tm_service_accept(listener);
	assert_true(server >= 0);
	assert_true(fcntl(server, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(tm_service_connect("/nowhere/at/all"), -ENOENT);
	(void)close(client);
	(void)close(server);
	unserve(SERVER, listener);
}

#define CASE(name) cmocka_unit_test_setup(name, clear)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(program_without_a_manager_has_nothing_from_it),
		CASE(descriptors_are_taken_by_name),
		CASE(descriptors_of_another_process_are_not_ours),
		CASE(states_arrive),
		CASE(watchdog_of_another_process_is_not_ours),
		CASE(notification_socket_that_is_none_is_an_error),
		CASE(many_descriptors_are_stored_in_several_messages),
		CASE(signal_asks_the_program_to_end),
		CASE(connection_is_accepted_when_it_is_there),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
