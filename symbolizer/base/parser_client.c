/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parser_client - the connection to the parser: requests, answers, deadlines, restarts
 */

#include "symbolizer/base/parser_client.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "shared/child.h"
#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/fdpass.h"
#include "symbolizer/base/file_identity.h"

#define NS_PER_MS 1000000ull

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

enum tm_parse_failure parser_client_failure(int r)
{
	if (r == PARSER_CLIENT_E_QUARANTINED)
		return TM_PARSE_QUARANTINED;
	if (r == PARSER_CLIENT_E_MEMORY)
		return TM_PARSE_BUDGET;
	return r == PARSER_CLIENT_E_CHANGED ? TM_PARSE_CHANGED : TM_PARSE_NO_PARSER;
}

/* Passes the answer to the callback; its descriptor is closed unless the callback took it. */
static void finish(struct parser_client *client, struct parser_slot *slot,
		   struct parser_client_answer *answer)
{
	parser_client_fn fn = slot->fn;

	client->ended++;
	parser_slot_close(slot);
	if (fn) {
		parser_client_count(client, answer->failure);
		fn(slot->request.context, slot->request.value, answer);
	}
	answer->fd = tm_close(answer->fd);
}

static void fail(struct parser_client *client, struct parser_slot *slot,
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
	for (unsigned i = 0; i < PARSER_OPEN_MAX; i++) {
		if (client->slots[i].fn)
			fail(client, &client->slots[i], TM_PARSE_NO_PARSER);
		parser_slot_free(&client->slots[i], &client->memory);
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
	for (unsigned i = 0; i < PARSER_OPEN_MAX; i++)
		parser_slot_free(&client->slots[i], &client->memory);
	client->first = 0;
	tm_child_stop(&child, ret_cpu_ns, ret_rss_bytes);
}

/* CPU time so far of the process @pid, without its children; 0 if it is gone. Unlike
 * clock_getcpuclockid() it makes no system call that a filter would have to allow. */
static uint64_t cpu_ns_of(pid_t pid)
{
	const clockid_t of_scheduler = 2; /* CPUCLOCK_SCHED, include/linux/posix-timers.h */

	return tm_clock_read((~(clockid_t)pid << 3) | of_scheduler);
}

uint64_t parser_client_cpu_ns(const struct parser_client *client)
{
	uint64_t own_ns = client->first > 0 ? cpu_ns_of(client->first) : 0;

	return own_ns + client->workers_ms * NS_PER_MS;
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

/* Whether a request has a worker, or will have one, whose memory comes back. */
static bool has_worker(const struct parser_client *client)
{
	for (unsigned i = 0; i < PARSER_OPEN_MAX; i++)
		if (client->slots[i].used && (!client->slots[i].waits || client->slots[i].unsent))
			return true;
	return false;
}

/* Whether a worker must end first, so that there is memory for another one. */
static bool lacks_memory(const struct parser_client *client)
{
	return budget_left(&client->memory) < PARSER_SLOT_LEAST_BYTES && has_worker(client);
}

bool parser_client_is_ready(const struct parser_client *client)
{
	const int64_t slow_ms = now_ms() - PARSER_SLOW_MS;
	unsigned used = 0, prompt = 0;

	for (unsigned i = 0; i < PARSER_OPEN_MAX; i++) {
		used += client->slots[i].used;
		prompt += client->slots[i].used && client->slots[i].sent_ms > slow_ms;
	}
	return client->socket >= 0 && used < PARSER_OPEN_MAX && prompt < PARSER_AT_ONCE &&
	       !lacks_memory(client);
}

/* Return: 0, PARSER_CLIENT_E_QUARANTINED, _CHANGED. */
static int check_target(const struct parser_client *client,
			const struct parser_client_request *request)
{
	if (!request->identity || request->target < 0)
		return 0;
	if (quarantine_holds(&client->quarantine, request->identity, now_ms()))
		return PARSER_CLIENT_E_QUARANTINED;
	if (!file_identity_holds(request->identity, request->target))
		return PARSER_CLIENT_E_CHANGED;
	return 0;
}

/* Return: 0; TM_FDPASS_E_AGAIN: nothing was sent; another value: the connection to the parser is
 * unusable. */
static int send_request(struct parser_client *client, struct parser_slot *slot)
{
	const struct parser_client_request *request = &slot->request;
	struct parser_message message = {
		.kind = request->kind,
		.id = client->next_id++,
		.count = request->count,
		.parts = request->part_count,
		.cpu_ms = request->cpu_ms,
		.memory_kib = (uint32_t)(slot->memory >> 10),
	};
	int r;

	slot->id = message.id;
	/* The socket buffer holds the messages of all PARSER_OPEN_MAX requests. */
	r = tm_fdpass_send(client->socket, &message, sizeof(message), request->target,
			   MSG_DONTWAIT);
	if (r == TM_FDPASS_E_AGAIN)
		return r;
	slot->sent_ms = now_ms();
	slot->deadline_ms = slot->sent_ms + parser_client_request_max_ms();
	message = (struct parser_message){.kind = PARSER_PART, .id = slot->id};
	for (unsigned i = 0; r == 0 && i < request->part_count; i++)
		r = tm_fdpass_send(client->socket, &message, sizeof(message), request->parts[i],
				   MSG_DONTWAIT);
	return r ? -EPIPE : 0;
}

int parser_client_ask(struct parser_client *client, const struct parser_client_request *request)
{
	struct parser_slot *slot = client->slots;
	int r;

	if (client->socket < 0)
		return PARSER_CLIENT_E_NONE;
	if (!parser_client_is_ready(client))
		return PARSER_CLIENT_E_BUSY;
	r = check_target(client, request);
	if (r != 0)
		return r;
	while (slot->used)
		slot++;
	r = parser_slot_take(slot, request, &client->memory);
	if (r != 0)
		return r == PARSER_SLOT_E_MEMORY ? PARSER_CLIENT_E_MEMORY : PARSER_CLIENT_E_NONE;
	r = send_request(client, slot);
	if (r < 0)
		drop_parser(client);
	if (r == TM_FDPASS_E_AGAIN)
		parser_slot_free(slot, &client->memory);
	if (r != 0)
		return r < 0 ? PARSER_CLIENT_E_NONE : PARSER_CLIENT_E_BUSY;
	slot->fn = request->fn;
	return 0;
}

void parser_client_cancel(struct parser_client *client, const void *context)
{
	for (unsigned i = 0; i < PARSER_OPEN_MAX; i++)
		if (client->slots[i].request.context == context)
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

static void note_cost(struct parser_client *client, const struct parser_slot *slot,
		      const struct parser_client_answer *answer)
{
	const enum tm_parse_failure failure = answer->failure;
	const bool by_file = failure == TM_PARSE_CRASHED || failure == TM_PARSE_MEMORY ||
			     (failure == TM_PARSE_CPU && !slot->request.cpu_ms) ||
			     answer->status == PARSER_ABANDONED;

	if (slot->compares && by_file)
		quarantine_add(&client->quarantine, &slot->identity, now_ms());
}

/* Return: whether the request goes on, with more memory, or waits for what another one has, or
 * until the parser reads. */
static bool try_again(struct parser_client *client, struct parser_slot *slot)
{
	int r;

	slot->waits = slot->fn != NULL;
	if (!slot->fn)
		return false;
	if (!slot->unsent && parser_slot_grow(slot, &client->memory))
		return has_worker(client);
	r = send_request(client, slot);
	slot->waits = slot->unsent = r == TM_FDPASS_E_AGAIN;
	if (r < 0)
		drop_parser(client);
	return true;
}

/* Takes @fd. */
static void end_request(struct parser_client *client, struct parser_slot *slot, uint32_t status,
			int fd)
{
	struct parser_client_answer answer = {
		.failure = failure_of(status), .status = status, .cpu_ms = slot->cpu_ms, .fd = fd};

	if (status == PARSER_MEMORY && slot->memory < PARSER_MEMORY_MOST)
		answer.failure = TM_PARSE_BUDGET;
	note_cost(client, slot, &answer);
	if (answer.failure == TM_PARSE_N && slot->compares &&
	    !file_identity_holds(&slot->identity, slot->request.target)) {
		answer.failure = TM_PARSE_CHANGED;
		answer.status = PARSER_CHANGED;
		answer.fd = tm_close(answer.fd);
	}
	finish(client, slot, &answer);
	parser_slot_free(slot, &client->memory);
}

/* Return: 0, -EBADMSG. Takes @fd. */
static int handle_result(struct parser_client *client, const struct parser_message *result, int fd)
{
	_cleanup_(tm_closep) int taken = fd;
	struct parser_slot *slot = client->slots;

	if (result->kind != PARSER_RESULT || result->status >= PARSER_STATUS_N ||
	    (result->status == PARSER_OK) != (taken >= 0))
		return -EBADMSG;
	while (slot < client->slots + PARSER_OPEN_MAX &&
	       !(slot->used && !slot->waits && slot->id == result->id))
		slot++;
	if (slot == client->slots + PARSER_OPEN_MAX)
		return -EBADMSG;
	client->retry_pause_ms = PARSER_CLIENT_PAUSE_MS; /* this parser answers */
	slot->cpu_ms += result->cpu_ms;
	client->workers_ms += result->cpu_ms;
	if (result->status != PARSER_MEMORY || !try_again(client, slot))
		end_request(client, slot, result->status, TM_TAKE_FD(taken));
	return 0;
}

static void advance_waiting(struct parser_client *client)
{
	for (unsigned i = 0; i < PARSER_OPEN_MAX; i++)
		if (client->slots[i].waits && !try_again(client, &client->slots[i]))
			end_request(client, &client->slots[i], PARSER_MEMORY, -1);
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
	for (unsigned i = 0; i < PARSER_OPEN_MAX; i++)
		if (client->slots[i].fn && now_ms() > client->slots[i].deadline_ms)
			fail(client, &client->slots[i], TM_PARSE_DEADLINE);
	advance_waiting(client);
	request_parser(client);
}
