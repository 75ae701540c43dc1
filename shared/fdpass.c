/* SPDX-License-Identifier: Apache-2.0 */
/* fdpass - sends and receives fixed-size messages, each with at most one descriptor */

#include "shared/fdpass.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "shared/cleanup.h"

/*
 * Descriptors that the control buffer holds. Padding lets two fit into the space for one, so the
 * buffer is larger than needed and what arrived is counted. The kernel closes those that do not fit
 * (MSG_CTRUNC).
 */
#define FDS_MAX    4

#define UNREAD_MAX 4096 /* messages; no socket buffer holds as many */

union control {
	char bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
	struct cmsghdr align;
};

static int return_code(int error)
{
	switch (error) {
	case EPIPE:
	case ECONNRESET:
		return TM_FDPASS_E_CLOSED;
	case EAGAIN:
	case ENOBUFS:
	case ETOOMANYREFS:
		return TM_FDPASS_E_AGAIN;
	default:
		return -error;
	}
}

/* Takes the descriptors out of @header. Return: how many. */
static int take_fds(struct msghdr *header, int fds[FDS_MAX], bool *ret_foreign)
{
	struct cmsghdr *c;
	int count = 0;

	for (c = CMSG_FIRSTHDR(header); c != NULL; c = CMSG_NXTHDR(header, c)) {
		size_t n, i;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) {
			*ret_foreign = true;
			continue;
		}
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (i = 0; i < n && count < FDS_MAX; i++)
			memcpy(&fds[count++], CMSG_DATA(c) + i * sizeof(int), sizeof(int));
	}
	return count;
}

int tm_fdpass_send(int socket, const void *message, size_t bytes, int fd, int flags)
{
	struct iovec part = {(void *)(size_t)message, bytes};
	struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
	union control control = {0};
	ssize_t n;

	if (fd >= 0) {
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.align), &fd, sizeof(int));
		header.msg_control = &control;
		header.msg_controllen = CMSG_SPACE(sizeof(int));
	}
	do
		n = sendmsg(socket, &header, flags | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return return_code(errno);
	return (size_t)n == bytes ? 0 : -EMSGSIZE;
}

int tm_fdpass_recv(int socket, void *message, size_t bytes, int *ret_fd, int flags)
{
	struct iovec part = {message, bytes};
	union control control = {0};
	struct msghdr header = {.msg_iov = &part,
				.msg_iovlen = 1,
				.msg_control = &control,
				.msg_controllen = sizeof(control)};
	int fds[FDS_MAX], count, most = ret_fd != NULL ? 1 : 0;
	bool foreign = false; /* there was another control message */
	ssize_t n;

	do
		n = recvmsg(socket, &header, flags | MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return return_code(errno);
	count = take_fds(&header, fds, &foreign);
	if (n == 0 && count == 0 && !foreign)
		return TM_FDPASS_E_CLOSED;
	if (foreign || count > most || (size_t)n != bytes ||
	    (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
		while (count > 0)
			tm_close(fds[--count]);
		return -EBADMSG;
	}
	if (ret_fd != NULL)
		*ret_fd = count == 1 ? fds[0] : -1;
	return 0;
}

int tm_fdpass_close(int socket)
{
	char first_byte; /* of each message; the kernel discards the rest */

	if (socket < 0)
		return -1;
	if (shutdown(socket, SHUT_RD) == 0)
		for (int i = 0; i < UNREAD_MAX; i++)
			if (recv(socket, &first_byte, sizeof(first_byte), MSG_DONTWAIT) <= 0)
				break;
	return tm_close(socket);
}
