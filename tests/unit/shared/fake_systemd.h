/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * fake_systemd - a service whose notifications a test reads in systemd's place
 *
 * Include <cmocka.h> and what it needs before.
 */

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shared/service.h"

static struct tm_service service;
static int systemd; /* its end */

/* Return: 0, -1. */
static int make_service(void)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) < 0)
		return -1;
	memset(&service, 0, sizeof(service)); /* too large for a compound literal */
	service.notify = ends[0];
	service.signals = -1;
	systemd = ends[1];
	return 0;
}

static int unmake_service(void)
{
	tm_service_deinit(&service);
	return close(systemd);
}

/* One more descriptor that systemd hands over. */
static void add_stored(const char *name, int fd)
{
	struct tm_service_fd *stored = &service.fds[service.count++];

	(void)snprintf(stored->name, sizeof(stored->name), "%s", name);
	stored->fd = fd;
}

/* The next notification. Return: its descriptor, -1: none. */
static int expect_notification(const char *text)
{
	char got[256] = "", control[CMSG_SPACE(sizeof(int))] = "";
	struct iovec part = {got, sizeof(got) - 1};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof(control)};
	struct cmsghdr *head;
	int fd = -1;

	assert_true(recvmsg(systemd, &message, MSG_CMSG_CLOEXEC) > 0);
	assert_string_equal(got, text);
	head = CMSG_FIRSTHDR(&message);
	if (head)
		memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	return fd;
}
