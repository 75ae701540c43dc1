/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * parser_client_peer - a client of the parser, and a test that plays the parser and the command
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <sys/socket.h>
#include <unistd.h>

#include "shared/fdpass.h"
#include "symbolizer/base/parser_client.h"

static struct parser_client client;
static int parser[2], command[2]; /* the client's end, the other end */
static uint64_t connected; /* parsers so far; the number of the next one, the first one's is 0 */
static unsigned answered;
static uint32_t last_value;
static enum tm_parse_failure last_failure;
static bool had_fd;

static inline void connect_parser(void)
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, parser), 0);
	parser_client_attach(&client, parser[0], connected++);
}

static inline int begin(void **state)
{
	client = PARSER_CLIENT_NULL;
	connected = 0;
	connect_parser();
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, command), 0);
	client.control = command[0];
	answered = 0;
	return 0;
}

static inline int end(void **state)
{
	uint64_t cpu_ns, rss_bytes;

	parser_client_stop(&client, &cpu_ns, &rss_bytes);
	assert_int_equal(client.socket, -1);
	(void)close(parser[1]);
	(void)close(command[0]);
	(void)close(command[1]);
	return 0;
}

static inline void on_answer(void *context, uint32_t value, struct parser_client_answer *answer)
{
	assert_ptr_equal(context, &answered);
	answered++;
	last_value = value;
	last_failure = answer->failure;
	had_fd = answer->fd >= 0;
}

static inline int ask(uint32_t value)
{
	const struct parser_client_request request = {
		.kind = PARSER_ROWS,
		.target = -1,
		.value = value,
		.context = &answered,
		.fn = on_answer,
	};

	return parser_client_ask(&client, &request);
}

/* The parser's side. Return: the id of the next request. */
static inline uint32_t take_request(void)
{
	struct parser_message request;

	assert_int_equal(tm_fdpass_recv(parser[1], &request, sizeof(request), NULL, MSG_DONTWAIT),
			 0);
	return request.id;
}

static inline void send_result(uint32_t id, uint32_t status, int fd)
{
	const struct parser_message result = {.kind = PARSER_RESULT, .id = id, .status = status};

	assert_int_equal(tm_fdpass_send(parser[1], &result, sizeof(result), fd, 0), 0);
	parser_client_round(&client);
}
