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

static struct opener_request request_for(const char *path, uint32_t id)
{
	struct opener_request request = {.kind = OPENER_ASK, .id = id, .mnt_ns = mount_namespace};

	request.path_bytes = (uint32_t)strlen(path);
	memcpy(request.path, path, request.path_bytes);
	return request;
}

static void send_request(const struct opener_request *request)
{
	assert_int_equal(tm_fdpass_send(opener_socket, request, sizeof(*request), -1, 0), 0);
}

static void ask(uint32_t id)
{
	const struct opener_request request = request_for(file_path + 1, id);

	send_request(&request);
}

static inline void verdict(uint32_t id, uint32_t accepted)
{
	const struct opener_request request = {
		.kind = OPENER_VERDICT, .id = id, .accepted = accepted};

	send_request(&request);
}

/* @ret_fd: as in tm_fdpass_recv. */
static struct opener_answer receive_answer(int *ret_fd)
{
	struct pollfd wait = {.fd = opener_socket, .events = POLLIN};
	struct opener_answer answer = {0};

	assert_int_equal(poll(&wait, 1, ANSWER_MS), 1);
	assert_int_equal(tm_fdpass_recv(opener_socket, &answer, sizeof(answer), ret_fd, 0), 0);
	return answer;
}

static struct opener_answer expect_answer(uint32_t id, uint32_t status)
{
	const struct opener_answer answer = receive_answer(NULL);

	assert_int_equal(answer.id, id);
	assert_int_equal(answer.status, status);
	return answer;
}
