/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * opener_fixture - the collector's end of a running opener, and requests for a file that the test
 * made
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
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/opener/opener.h"
#include "shared/cleanup.h"
#include "shared/fdpass.h"

#define ANSWER_MS 20000 /* for hangs: an answer takes OPENER_DEADLINE_MS at most */

static int opener_socket = -1;
static char file_path[] = "/tmp/opener-XXXXXX";
static uint32_t mount_namespace;

/* Makes a file that the opener finds beneath its own root. */
static int make_file(void)
{
	struct stat st;
	int fd = mkstemp(file_path);

	if (fd < 0 || write(fd, "content", 7) != 7 || close(fd) < 0 ||
	    stat("/proc/self/ns/mnt", &st) < 0)
		return -1;
	mount_namespace = (uint32_t)st.st_ino;
	return 0;
}

static struct opener_request request_for(const char *path)
{
	struct opener_request request = {.kind = OPENER_ASK, .mnt_ns = mount_namespace};

	request.path_bytes = (uint32_t)strlen(path);
	memcpy(request.path, path, request.path_bytes);
	return request;
}

/* Return: the socket to the worker of the request. */
static int send_request(const struct opener_request *request)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	assert_int_equal(tm_fdpass_send(opener_socket, request, sizeof(*request), ends[1], 0), 0);
	(void)close(ends[1]);
	return ends[0];
}

/* @ret_fd: as in tm_fdpass_recv. */
static struct opener_answer receive_answer(int worker, int *ret_fd)
{
	struct pollfd wait = {.fd = worker, .events = POLLIN};
	struct opener_answer answer = {0};

	assert_int_equal(poll(&wait, 1, ANSWER_MS), 1);
	assert_int_equal(tm_fdpass_recv(worker, &answer, sizeof(answer), ret_fd, 0), 0);
	return answer;
}

static struct opener_answer expect_answer(int worker, uint32_t status)
{
	const struct opener_answer answer = receive_answer(worker, NULL);

	assert_int_equal(answer.status, status);
	return answer;
}

/* The worker has ended without another answer, or was never started. Closes the socket. */
static void expect_end(int worker)
{
	struct pollfd wait = {.fd = worker, .events = POLLIN};
	char none;

	assert_int_equal(poll(&wait, 1, ANSWER_MS), 1);
	assert_int_equal(tm_fdpass_recv(worker, &none, sizeof(none), NULL, 0), TM_FDPASS_E_CLOSED);
	(void)close(worker);
}

static int ask_for(const struct opener_request *request)
{
	int worker = send_request(request);

	(void)expect_answer(worker, OPENER_STARTED);
	return worker;
}

/* Return: the socket to a worker that has started. */
static int ask(void)
{
	const struct opener_request request = request_for(file_path + 1);

	return ask_for(&request);
}

static inline void verdict(int worker, uint32_t accepted)
{
	const struct opener_verdict verdict = {.accepted = accepted};

	assert_int_equal(tm_fdpass_send(worker, &verdict, sizeof(verdict), -1, 0), 0);
}
