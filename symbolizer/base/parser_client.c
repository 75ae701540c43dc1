/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parser_client - the connection to the parser: requests, answers, deadlines, restarts
 */

#include "symbolizer/base/parser_client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "shared/child.h"
#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/fdpass.h"
#include "symbolizer/base/file_identity.h"

static int64_t now_ms(void)
{
	return (int64_t)tm_clock_ms();
}

int64_t parser_client_request_max_ms(void)
{
	return PARSER_DEADLINE_MS + PARSER_CLIENT_GRACE_MS;
}

void parser_client_count(struct parser_client *client, enum tm_parse_failure failure)
{
	if (failure < TM_PARSE_N)
		client->counts.failures[failure]++;
}

static void drop_target(struct parser_client_slot *slot)
{
	if (slot->compares)
		slot->target = tm_close(slot->target);
	slot->compares = false;
}

enum tm_parse_failure parser_client_failure(int r)
{
	if (r == PARSER_CLIENT_E_QUARANTINED)
		return TM_PARSE_QUARANTINED;
	return r == PARSER_CLIENT_E_CHANGED ? TM_PARSE_CHANGED : TM_PARSE_NO_PARSER;
}

/* Passes the answer to the callback; its descriptor is closed unless the callback took it. */
static void finish(struct parser_client *client, struct parser_client_slot *slot,
		   struct parser_client_answer *answer)
{
	parser_client_fn fn = slot->fn;

	client->ended++;
	slot->fn = NULL;
	drop_target(slot);
	if (fn) {
		parser_client_count(client, answer->failure);
		fn(slot->context, slot->value, answer);
	}
	answer->fd = tm_close(answer->fd);
}

static void fail(struct parser_client *client, struct parser_client_slot *slot,
		 enum tm_parse_failure failure)
{
	struct parser_client_answer answer = {
		.failure = failure, .status = PARSER_FAILED, .fd = -1};

	finish(client, slot, &answer);
}

/* --- parsers ---------------------------------------------------------------------------------- */

static void request_parser(struct parser_client *client)
{
	if (client->socket >= 0 || client->control < 0 || now_ms() < client->retry_ms)
		return;
	(void)tm_control_send(client->control, TM_CONTROL_PARSER_LOST, 0, client->number);
	client->retry_ms = now_ms() + client->retry_pause_ms;
	if (client->retry_pause_ms < PARSER_CLIENT_PAUSE_MAX)
		client->retry_pause_ms *= 2;
}

static void drop_parser(struct parser_client *client)
{
	if (client->socket < 0)
		return;
	client->socket = tm_close(client->socket);
	client->first_is_lost = true;
	client->counts.lost++;
	for (unsigned i = 0; i < PARSER_AT_ONCE; i++) {
		client->slots[i].used = false;
		drop_target(&client->slots[i]);
		if (client->slots[i].fn)
			fail(client, &client->slots[i], TM_PARSE_NO_PARSER);
	}
	request_parser(client);
}

/* Runs in the child, which the kernel then kills when the symbolizer dies. */
static int end_with_parent(void)
{
	return prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 ? -errno : 0;
}

int parser_client_start(struct parser_client *client, int program)
{
	struct tm_child child;
	int r = tm_child_start(&child, program, "tidemark-parser", end_with_parent);

	if (r < 0)
		return r;
	client->socket = child.socket;
	client->first = child.pid;
	return 0;
}

void parser_client_stop(struct parser_client *client, uint64_t *ret_cpu_ns, uint64_t *ret_rss_bytes)
{
	struct tm_child child = {client->first, -1};

	if (!client->first_is_lost)
		child.socket = TM_TAKE_FD(client->socket);
	client->socket = tm_close(client->socket);
	for (unsigned i = 0; i < PARSER_AT_ONCE; i++)
		drop_target(&client->slots[i]);
	client->first = 0;
	tm_child_stop(&child, ret_cpu_ns, ret_rss_bytes);
}

void parser_client_attach(struct parser_client *client, int socket, uint64_t number)
{
	client->number = number;
	if (client->socket >= 0)
		(void)tm_close(socket);
	else
		client->socket = socket;
}

/* --- requests and answers --------------------------------------------------------------------- */

bool parser_client_is_ready(const struct parser_client *client)
{
	for (unsigned i = 0; i < PARSER_AT_ONCE; i++)
		if (!client->slots[i].used)
			return client->socket >= 0;
	return false;
}

/* Return: 0, PARSER_CLIENT_E_QUARANTINED, _CHANGED, _NONE (no descriptor is free). */
static int note_target(const struct parser_client *client, struct parser_client_slot *slot,
		       const struct parser_client_request *request)
{
	if (!request->identity || request->target < 0)
		return 0;
	if (quarantine_holds(&client->quarantine, request->identity, now_ms()))
		return PARSER_CLIENT_E_QUARANTINED;
	if (!file_identity_holds(request->identity, request->target))
		return PARSER_CLIENT_E_CHANGED;
	slot->identity = *request->identity;
	slot->target = fcntl(request->target, F_DUPFD_CLOEXEC, 0);
	slot->compares = slot->target >= 0;
	return slot->compares ? 0 : PARSER_CLIENT_E_NONE;
}

/* Return: 0; another value: the connection to the parser is unusable. */
static int send_request(const struct parser_client *client,
			const struct parser_client_request *request, uint32_t id)
{
	struct parser_message message = {
		.kind = request->kind,
		.id = id,
		.count = request->count,
		.parts = request->part_count,
		.cpu_ms = request->cpu_ms,
	};
	int r;

	/* The socket buffer holds the messages of all PARSER_AT_ONCE requests. */
	r = tm_fdpass_send(client->socket, &message, sizeof(message), request->target,
			   MSG_DONTWAIT);
	message = (struct parser_message){.kind = PARSER_PART, .id = id};
	for (unsigned i = 0; r == 0 && i < request->part_count; i++)
		r = tm_fdpass_send(client->socket, &message, sizeof(message), request->parts[i],
				   MSG_DONTWAIT);
	return r;
}

int parser_client_ask(struct parser_client *client, const struct parser_client_request *request)
{
	struct parser_client_slot *slot = NULL, fresh = {.used = true};
	int r;

	if (client->socket < 0)
		return PARSER_CLIENT_E_NONE;
	for (unsigned i = 0; i < PARSER_AT_ONCE && !slot; i++)
		if (!client->slots[i].used)
			slot = &client->slots[i];
	if (!slot)
		return PARSER_CLIENT_E_BUSY;
	r = note_target(client, &fresh, request);
	if (r != 0)
		return r;
	if (send_request(client, request, client->next_id) != 0) {
		drop_target(&fresh);
		drop_parser(client);
		return PARSER_CLIENT_E_NONE;
	}
	fresh.fn = request->fn;
	fresh.context = request->context;
	fresh.value = request->value;
	fresh.short_of_cpu = request->cpu_ms != 0;
	fresh.id = client->next_id++;
	fresh.deadline_ms = now_ms() + parser_deadline_ms(request->kind) + PARSER_CLIENT_GRACE_MS;
	*slot = fresh;
	return 0;
}

void parser_client_cancel(struct parser_client *client, const void *context)
{
	for (unsigned i = 0; i < PARSER_AT_ONCE; i++)
		if (client->slots[i].context == context)
			client->slots[i].fn = NULL;
}

/* Return: why the request failed; TM_PARSE_N: it did not, the answer is final. */
static enum tm_parse_failure failure_of(uint32_t status)
{
	switch (status) {
	case PARSER_CHANGED:
		return TM_PARSE_CHANGED;
	case PARSER_FAILED:
		return TM_PARSE_RESOURCES;
	case PARSER_CRASHED:
		return TM_PARSE_CRASHED;
	case PARSER_CPU:
		return TM_PARSE_CPU;
	case PARSER_MEMORY:
		return TM_PARSE_MEMORY;
	case PARSER_TIMEOUT:
	case PARSER_ABANDONED:
		return TM_PARSE_DEADLINE;
	case PARSER_REFUSED:
		return TM_PARSE_REFUSED;
	default:
		return TM_PARSE_N;
	}
}

static void note_cost(struct parser_client *client, const struct parser_client_slot *slot,
		      enum tm_parse_failure failure)
{
	const bool by_file = failure == TM_PARSE_CRASHED || failure == TM_PARSE_MEMORY ||
			     (failure == TM_PARSE_CPU && !slot->short_of_cpu);

	if (slot->compares && by_file)
		quarantine_add(&client->quarantine, &slot->identity, now_ms());
}

/* Return: 0, -EBADMSG. Takes @fd. */
static int handle_result(struct parser_client *client, const struct parser_message *result, int fd)
{
	_cleanup_(tm_closep) int taken = fd;

	if (result->kind != PARSER_RESULT || result->status >= PARSER_STATUS_N ||
	    (result->status == PARSER_OK) != (taken >= 0))
		return -EBADMSG;
	for (unsigned i = 0; i < PARSER_AT_ONCE; i++) {
		struct parser_client_slot *slot = &client->slots[i];
		struct parser_client_answer answer = {.failure = failure_of(result->status),
						      .status = result->status,
						      .cpu_ms = result->cpu_ms};

		if (!slot->used || slot->id != result->id)
			continue;
		client->retry_pause_ms = PARSER_CLIENT_PAUSE_MS; /* this parser answers */
		note_cost(client, slot, answer.failure);
		if (answer.failure == TM_PARSE_N && slot->compares &&
		    !file_identity_holds(&slot->identity, slot->target)) {
			answer.failure = TM_PARSE_CHANGED;
			answer.status = PARSER_CHANGED;
		}
		answer.fd = answer.status == PARSER_OK ? TM_TAKE_FD(taken) : -1;
		slot->used = false;
		finish(client, slot, &answer);
		return 0;
	}
	return -EBADMSG;
}

void parser_client_round(struct parser_client *client)
{
	while (client->socket >= 0) {
		struct parser_message result;
		int fd = -1;
		int r = tm_fdpass_recv(client->socket, &result, sizeof(result), &fd, MSG_DONTWAIT);

		if (r == TM_FDPASS_E_AGAIN)
			break;
		if (r != 0 || handle_result(client, &result, fd) < 0)
			drop_parser(client);
	}
	for (unsigned i = 0; i < PARSER_AT_ONCE; i++)
		if (client->slots[i].fn && now_ms() > client->slots[i].deadline_ms)
			fail(client, &client->slots[i], TM_PARSE_DEADLINE);
	request_parser(client);
}

/*
 * Sleeps until the parser sends something, the first deadline is over or @end_ms is reached.
 * Return: whether the command is still connected.
 */
static bool sleep_until(const struct parser_client *client, int64_t end_ms)
{
	struct pollfd ready[2] = {
		{.fd = client->socket, .events = POLLIN},
		{.fd = client->control, .events = POLLRDHUP},
	};
	int64_t left_ms;

	for (unsigned i = 0; i < PARSER_AT_ONCE; i++)
		if (client->slots[i].fn && client->slots[i].deadline_ms + 1 < end_ms)
			end_ms = client->slots[i].deadline_ms + 1;
	left_ms = end_ms - now_ms();
	return poll(ready, 2, left_ms > 0 ? (int)left_ms : 0) <= 0 || ready[1].revents == 0;
}

int parser_client_wait(struct parser_client *client, int64_t timeout_ms)
{
	int64_t end_ms = now_ms() + timeout_ms;
	uint32_t ended = client->ended;

	while (client->socket >= 0) {
		if (!sleep_until(client, end_ms))
			return PARSER_CLIENT_E_GONE;
		parser_client_round(client);
		if (client->ended != ended)
			return 0;
		if (now_ms() >= end_ms)
			return PARSER_CLIENT_E_TIMEOUT;
	}
	return PARSER_CLIENT_E_NONE;
}
