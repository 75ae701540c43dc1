/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parser_requests - requests to the parser that another thread makes through the reader's
 */

#include "symbolizer/names/parser_requests.h"

#include <errno.h>
#include <sys/socket.h>
#include <time.h>

#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/fdpass.h"

#define NS_PER_MS     1000000
#define NS_PER_SECOND 1000000000

int parser_requests_init(struct parser_requests *requests)
{
	pthread_condattr_t attributes;
	int r;

	*requests = PARSER_REQUESTS_NULL;
	r = pthread_mutex_init(&requests->lock, NULL);
	if (r == 0)
		r = pthread_condattr_init(&attributes);
	if (r == 0)
		r = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	if (r == 0)
		r = pthread_cond_init(&requests->ended, &attributes);
	if (r != 0)
		return -r;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, requests->wake) < 0)
		return -errno;
	return 0;
}

void parser_requests_deinit(struct parser_requests *requests)
{
	for (unsigned i = 0; i < PARSER_REQUESTS_MAX; i++)
		if (requests->slots[i].state == PARSER_REQUESTS_ENDED)
			requests->slots[i].answer.fd = tm_close(requests->slots[i].answer.fd);
	requests->wake[0] = tm_close(requests->wake[0]);
	requests->wake[1] = tm_close(requests->wake[1]);
}

/* --- the caller ------------------------------------------------------------------------------- */

/* Under the lock. */
static struct parser_requests_slot *put(struct parser_requests *requests,
					const struct parser_client_request *request)
{
	for (unsigned i = 0; i < PARSER_REQUESTS_MAX; i++) {
		struct parser_requests_slot *slot = &requests->slots[i];

		if (slot->state != PARSER_REQUESTS_FREE)
			continue;
		*slot = (struct parser_requests_slot){
			.state = PARSER_REQUESTS_WAITS,
			.order = requests->next_order++,
			.request = *request,
			.answer.fd = -1,
		};
		slot->request.value = i;
		return slot;
	}
	return NULL;
}

/* Under the lock. Return: whether the answer is here; otherwise nobody waits for it any more. */
static bool wait_for(struct parser_requests *requests, struct parser_requests_slot *slot,
		     int64_t timeout_ms)
{
	const uint64_t end_ns = tm_clock_ns() + (uint64_t)timeout_ms * NS_PER_MS;
	const struct timespec end = {(time_t)(end_ns / NS_PER_SECOND),
				     (long)(end_ns % NS_PER_SECOND)};
	int r = 0;

	while (slot->state != PARSER_REQUESTS_ENDED && !requests->stopped && r == 0)
		r = pthread_cond_timedwait(&requests->ended, &requests->lock, &end);
	while (slot->state == PARSER_REQUESTS_IS_SENT)
		(void)pthread_cond_wait(&requests->ended, &requests->lock);
	if (slot->state == PARSER_REQUESTS_ENDED)
		return true;
	slot->state = slot->state == PARSER_REQUESTS_OPEN ? PARSER_REQUESTS_ABANDONED
							  : PARSER_REQUESTS_FREE;
	return false;
}

void parser_requests_wake(struct parser_requests *requests)
{
	char wake = 0;

	(void)tm_fdpass_send(requests->wake[1], &wake, sizeof(wake), -1, MSG_DONTWAIT);
}

/* Under the lock. */
static int ask(struct parser_requests *requests, const struct parser_client_request *request,
	       int64_t timeout_ms, struct parser_client_answer *ret_answer)
{
	struct parser_requests_slot *slot;

	if (requests->stopped)
		return PARSER_REQUESTS_E_STOPPED;
	slot = put(requests, request);
	if (!slot)
		return PARSER_REQUESTS_E_FULL;
	parser_requests_wake(requests);
	if (!wait_for(requests, slot, timeout_ms))
		return requests->stopped ? PARSER_REQUESTS_E_STOPPED : PARSER_REQUESTS_E_TIMEOUT;
	*ret_answer = slot->answer;
	slot->state = PARSER_REQUESTS_FREE;
	return 0;
}

int parser_requests_ask(struct parser_requests *requests,
			const struct parser_client_request *request, int64_t timeout_ms,
			struct parser_client_answer *ret_answer)
{
	int r;

	(void)pthread_mutex_lock(&requests->lock);
	r = ask(requests, request, timeout_ms, ret_answer);
	(void)pthread_mutex_unlock(&requests->lock);
	return r;
}

void parser_requests_stop(struct parser_requests *requests)
{
	(void)pthread_mutex_lock(&requests->lock);
	requests->stopped = true;
	(void)pthread_cond_broadcast(&requests->ended);
	(void)pthread_mutex_unlock(&requests->lock);
}

/* --- the reader ------------------------------------------------------------------------------- */

/* Under the lock. Takes the answer's descriptor, unless nobody waits. */
static void end(struct parser_requests *requests, struct parser_requests_slot *slot,
		struct parser_client_answer *answer)
{
	if (slot->state == PARSER_REQUESTS_ABANDONED) {
		slot->state = PARSER_REQUESTS_FREE;
		return;
	}
	slot->answer = *answer;
	answer->fd = -1;
	slot->state = PARSER_REQUESTS_ENDED;
	(void)pthread_cond_broadcast(&requests->ended);
}

static void on_answer(void *context, uint32_t value, struct parser_client_answer *answer)
{
	struct parser_requests *requests = context;

	(void)pthread_mutex_lock(&requests->lock);
	end(requests, &requests->slots[value], answer);
	(void)pthread_mutex_unlock(&requests->lock);
}

/* Return: the one that has waited longest; NULL: none does. */
static struct parser_requests_slot *take_first(struct parser_requests *requests)
{
	struct parser_requests_slot *first = NULL;

	(void)pthread_mutex_lock(&requests->lock);
	for (unsigned i = 0; i < PARSER_REQUESTS_MAX; i++) {
		struct parser_requests_slot *slot = &requests->slots[i];

		if (slot->state == PARSER_REQUESTS_WAITS && (!first || slot->order < first->order))
			first = slot;
	}
	if (first)
		first->state = PARSER_REQUESTS_IS_SENT;
	(void)pthread_mutex_unlock(&requests->lock);
	return first;
}

/* @r: of parser_client_ask. */
static void was_sent(struct parser_requests *requests, struct parser_requests_slot *slot, int r)
{
	struct parser_client_answer none = {
		.failure = parser_client_failure(r),
		.fd = -1,
	};

	(void)pthread_mutex_lock(&requests->lock);
	slot->state = r == PARSER_CLIENT_E_BUSY ? PARSER_REQUESTS_WAITS : PARSER_REQUESTS_OPEN;
	if (r != 0 && r != PARSER_CLIENT_E_BUSY)
		end(requests, slot, &none);
	(void)pthread_cond_broadcast(&requests->ended);
	(void)pthread_mutex_unlock(&requests->lock);
}

void parser_requests_round(struct parser_requests *requests, struct parser_client *client)
{
	struct parser_requests_slot *slot;
	int r = 0, fd;
	char wake;

	while (tm_fdpass_recv(requests->wake[0], &wake, sizeof(wake), &fd, MSG_DONTWAIT) == 0)
		fd = tm_close(fd);
	/* Not under the lock: a client that loses its parser calls back for the others. */
	while (r != PARSER_CLIENT_E_BUSY && (slot = take_first(requests))) {
		slot->request.fn = on_answer;
		slot->request.context = requests;
		r = parser_client_ask(client, &slot->request);
		was_sent(requests, slot, r);
	}
}
