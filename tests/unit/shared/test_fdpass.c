/* SPDX-License-Identifier: Apache-2.0 */
/* test_fdpass - a message arrives whole with at most one descriptor, or is refused without a leak
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "shared/cleanup.h"
#include "shared/fdpass.h"

struct pair {
	int ours, theirs;
};

static int send_error; /* of the next message alone; 0: none */
ssize_t __real_sendmsg(int socket, const struct msghdr *header, int flags);
ssize_t __wrap_sendmsg(int socket, const struct msghdr *header, int flags);

ssize_t __wrap_sendmsg(int socket, const struct msghdr *header, int flags)
{
	if (!send_error)
		return __real_sendmsg(socket, header, flags);
	errno = send_error;
	send_error = 0;
	return -1;
}

static int connect_pair(void **state)
{
	static struct pair pair;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -1;
	pair = (struct pair){ends[0], ends[1]};
	*state = &pair;
	return 0;
}

static int close_pair(void **state)
{
	struct pair *pair = *state;

	pair->ours = tm_close(pair->ours);
	pair->theirs = tm_close(pair->theirs);
	return 0;
}

static int open_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int count = 0;

	assert_non_null(dir);
	while (readdir(dir) != NULL)
		count++;
	closedir(dir);
	return count;
}

/* Sends @bytes bytes and @count descriptors, as a peer may that does not keep to the protocol. */
static void send_anything(int socket, size_t bytes, int count, int fd)
{
	char text[64] = {0};
	union {
		char room[CMSG_SPACE(64 * sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	struct iovec part = {text, bytes};
	struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
	int i;

	if (count > 0) {
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = CMSG_LEN((size_t)count * sizeof(int));
		for (i = 0; i < count; i++)
			memcpy(CMSG_DATA(&control.align) + (size_t)i * sizeof(int), &fd,
			       sizeof(int));
		header.msg_control = &control;
		header.msg_controllen = CMSG_SPACE((size_t)count * sizeof(int));
	}
	assert_int_equal(sendmsg(socket, &header, MSG_NOSIGNAL), (ssize_t)bytes);
}

static void message_comes_with_its_descriptor(void **state)
{
	struct pair *pair = *state;
	uint64_t sent = 0x1122334455667788, got = 0;
	_cleanup_(tm_closep) int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
	_cleanup_(tm_closep) int fd = -1;
	struct stat a, b;

	assert_int_equal(tm_fdpass_send(pair->theirs, &sent, sizeof(sent), file, 0), 0);
	assert_int_equal(tm_fdpass_recv(pair->ours, &got, sizeof(got), &fd, 0), 0);
	assert_true(got == sent);
	assert_true(fd >= 0 && fd != file);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fstat(file, &a), 0);
	assert_int_equal(fstat(fd, &b), 0);
	assert_true(a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

static void message_comes_without_descriptor(void **state)
{
	struct pair *pair = *state;
	uint64_t sent = 7, got = 0;
	int fd = 99;

	assert_int_equal(tm_fdpass_send(pair->theirs, &sent, sizeof(sent), -1, 0), 0);
	assert_int_equal(tm_fdpass_recv(pair->ours, &got, sizeof(got), &fd, 0), 0);
	assert_true(got == sent);
	assert_int_equal(fd, -1);
	assert_int_equal(tm_fdpass_send(pair->theirs, &sent, sizeof(sent), -1, 0), 0);
	assert_int_equal(tm_fdpass_recv(pair->ours, &got, sizeof(got), /* ret_fd= */ NULL, 0), 0);
}

static void malformed_message_is_refused_and_leaks_no_descriptor(void **state)
{
	static const struct {
		size_t bytes;
		int descriptors;
	} forms[] = {{4, 0}, {4, 1}, {12, 0}, {12, 1}, {64, 1}, {8, 2},
		     {8, 3}, {8, 4}, {8, 5},  {8, 64}, {0, 1}};
	struct pair *pair = *state;
	uint64_t got = 0;
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		int before = open_descriptors(), fd = -7;

		send_anything(pair->theirs, forms[i].bytes, forms[i].descriptors, pair->theirs);
		assert_int_equal(tm_fdpass_recv(pair->ours, &got, sizeof(got), &fd, 0), -EBADMSG);
		assert_int_equal(fd, -7);
		assert_int_equal(open_descriptors(), before);
	}
	/* The socket stays in step: the next valid message is received. */
	send_anything(pair->theirs, sizeof(got), 0, -1);
	assert_int_equal(tm_fdpass_recv(pair->ours, &got, sizeof(got), NULL, 0), 0);
}

static void unexpected_descriptor_is_refused(void **state)
{
	struct pair *pair = *state;
	int before = open_descriptors();
	uint64_t got = 0;

	assert_int_equal(tm_fdpass_send(pair->theirs, &got, sizeof(got), pair->ours, 0), 0);
	assert_int_equal(tm_fdpass_recv(pair->ours, &got, sizeof(got), NULL, 0), -EBADMSG);
	assert_int_equal(open_descriptors(), before);
}

/* The kernel drops a descriptor that the receiver's limit cannot hold, and cuts the control data.
 */
static void message_whose_descriptor_exceeds_the_limit_is_refused(void **state)
{
	struct pair *pair = *state;
	struct rlimit old, tight;
	uint64_t got = 0;
	int fd = -7, r;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	tight = (struct rlimit){0, old.rlim_max};
	assert_int_equal(tm_fdpass_send(pair->theirs, &got, sizeof(got), pair->theirs, 0), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &tight), 0);
	r = tm_fdpass_recv(pair->ours, &got, sizeof(got), &fd, 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_int_equal(r, -EBADMSG);
	assert_int_equal(fd, -7);
}

static void peer_that_is_gone_is_a_condition(void **state)
{
	struct pair *pair = *state;
	uint64_t got = 0;
	int fd;

	pair->theirs = tm_close(pair->theirs);
	assert_int_equal(tm_fdpass_recv(pair->ours, &got, sizeof(got), &fd, 0), TM_FDPASS_E_CLOSED);
	assert_int_equal(tm_fdpass_send(pair->ours, &got, sizeof(got), -1, 0), TM_FDPASS_E_CLOSED);
}

static void empty_and_full_sockets_are_conditions(void **state)
{
	struct pair *pair = *state;
	uint64_t message = 0;
	int fd, r, sent = 0;

	assert_int_equal(tm_fdpass_recv(pair->ours, &message, sizeof(message), &fd, MSG_DONTWAIT),
			 TM_FDPASS_E_AGAIN);
	do
		r = tm_fdpass_send(pair->theirs, &message, sizeof(message), -1, MSG_DONTWAIT);
	while (r == 0 && ++sent < 1000000);
	assert_int_equal(r, TM_FDPASS_E_AGAIN);
}

static void descriptor_that_is_no_socket_is_an_error(void **state)
{
	_cleanup_(tm_closep) int file = open("/dev/null", O_RDWR | O_CLOEXEC);
	uint64_t message = 0;
	int fd;

	assert_int_equal(tm_fdpass_send(file, &message, sizeof(message), -1, 0), -ENOTSOCK);
	assert_int_equal(tm_fdpass_recv(file, &message, sizeof(message), &fd, 0), -ENOTSOCK);
	assert_int_equal(tm_fdpass_recv(-1, &message, sizeof(message), &fd, 0), -EBADF);
}

static void message_for_which_the_kernel_has_no_memory_is_sent_later(void **state)
{
	const struct pair *pair = *state;
	char message[8] = "message", received[8];

	send_error = ENOBUFS;
	assert_int_equal(tm_fdpass_send(pair->ours, message, sizeof(message), -1, MSG_DONTWAIT),
			 TM_FDPASS_E_AGAIN);
	assert_int_equal(tm_fdpass_send(pair->ours, message, sizeof(message), -1, MSG_DONTWAIT), 0);
	assert_int_equal(tm_fdpass_recv(pair->theirs, received, sizeof(received), NULL, 0), 0);
	assert_string_equal(received, message);
}

#define ON_A_PAIR(test) cmocka_unit_test_setup_teardown(test, connect_pair, close_pair)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_A_PAIR(message_comes_with_its_descriptor),
		ON_A_PAIR(message_comes_without_descriptor),
		ON_A_PAIR(malformed_message_is_refused_and_leaks_no_descriptor),
		ON_A_PAIR(unexpected_descriptor_is_refused),
		ON_A_PAIR(message_whose_descriptor_exceeds_the_limit_is_refused),
		ON_A_PAIR(peer_that_is_gone_is_a_condition),
		ON_A_PAIR(empty_and_full_sockets_are_conditions),
		cmocka_unit_test(descriptor_that_is_no_socket_is_an_error),
		ON_A_PAIR(message_for_which_the_kernel_has_no_memory_is_sent_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
