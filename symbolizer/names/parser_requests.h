/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * parser_requests - requests to the parser that another thread makes through the reader's
 *
 * The connection to the parser belongs to the reader's thread (parser_client.h). Any other thread
 * puts a request into a slot here and waits for its answer; the reader sends it, in order.
 *
 * Owner      the descriptors of a request stay the caller's; parser_requests_ask does not return
 *            while the reader uses them. The answer's descriptor becomes the caller's.
 * Limits     PARSER_REQUESTS_MAX are open. One that was given up while the parser had it keeps its
 *            slot until its answer comes, or the client's deadline.
 * Threads    ask: any but the reader's; round: the reader's; stop: any.
 */

#include <pthread.h>
#include <stdbool.h>

#include "symbolizer/base/parser_client.h"

#define PARSER_REQUESTS_MAX 4u

enum parser_requests_state {
	PARSER_REQUESTS_FREE,
	PARSER_REQUESTS_WAITS,     /* for the reader */
	PARSER_REQUESTS_IS_SENT,   /* right now: its descriptors are in use */
	PARSER_REQUESTS_OPEN,      /* the parser has it */
	PARSER_REQUESTS_ENDED,     /* its answer is here */
	PARSER_REQUESTS_ABANDONED, /* the parser has it, and nobody waits */
};

struct parser_requests_slot {
	enum parser_requests_state state;
	uint64_t order;
	struct parser_client_request request;
	struct parser_client_answer answer;
};

struct parser_requests {
	pthread_mutex_t lock; /* of all but `wake` */
	pthread_cond_t ended;
	struct parser_requests_slot slots[PARSER_REQUESTS_MAX];
	uint64_t next_order;
	bool stopped;
	int wake[2]; /* a socket pair: a message in [0] when the reader has something to send */
};
#define PARSER_REQUESTS_NULL ((struct parser_requests){.wake = {-1, -1}})

enum {
	PARSER_REQUESTS_E_TIMEOUT = 1,
	PARSER_REQUESTS_E_FULL = 2,    /* PARSER_REQUESTS_MAX are open */
	PARSER_REQUESTS_E_STOPPED = 3, /* nobody will send it */
};

/* Return: 0, -errno. */
int parser_requests_init(struct parser_requests *requests);
/* Nobody waits, and the client calls back no more. */
void parser_requests_deinit(struct parser_requests *requests);
/*
 * Waits for the answer for at most @timeout_ms. Of @request, `context`, `value` and `fn` are
 * ignored. Return: 0 (also when the request failed: the answer says why),
 * PARSER_REQUESTS_E_TIMEOUT, PARSER_REQUESTS_E_FULL, PARSER_REQUESTS_E_STOPPED.
 */
int parser_requests_ask(struct parser_requests *requests,
			const struct parser_client_request *request, int64_t timeout_ms,
			struct parser_client_answer *ret_answer);
/* Has the reader do a round soon. */
void parser_requests_wake(struct parser_requests *requests);
/* Sends what the client has a slot for. */
void parser_requests_round(struct parser_requests *requests, struct parser_client *client);
/* From now on, nobody waits any more. */
void parser_requests_stop(struct parser_requests *requests);
