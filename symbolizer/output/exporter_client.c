/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exporter_client - hands request bodies over to tidemark-exporter and counts what became of them
 */

#include "symbolizer/output/exporter_client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/fdpass.h"
#include "shared/service.h"

#define SEALS (F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

void exporter_client_init(struct exporter_client *client, int socket, uint64_t first_id)
{
	*client = (struct exporter_client){.socket = socket, .listener = -1, .last_id = first_id};
}

void exporter_client_fail(struct exporter_client *client, enum tm_export why, uint64_t samples)
{
	client->result.requests[why]++;
	client->result.samples[why] += samples;
}

static void settle(struct exporter_client *client, const struct exporter_client_request *request,
		   enum tm_export outcome, uint64_t rejected)
{
	if (request->spooled) {
		client->settled(client->context, outcome, rejected);
		return;
	}
	exporter_client_fail(client, outcome, request->samples);
	client->result.rejected += rejected;
}

static void fail_open(struct exporter_client *client, enum tm_export why)
{
	while (client->open_count > 0) {
		const struct exporter_client_request request = client->open[--client->open_count];

		settle(client, &request, why, 0);
	}
}

static void lose(struct exporter_client *client)
{
	if (client->listener >= 0)
		(void)tm_close(client->socket); /* it is the last one that we accepted */
	client->socket = -1;
	fail_open(client, TM_EXPORT_NO_EXPORTER);
}

/* --- answers ---------------------------------------------------------------------------------- */

static const enum tm_export outcomes[EXPORTER_STATUS_N] = {
	[EXPORTER_DELIVERED] = TM_EXPORT_DELIVERED,
	[EXPORTER_REJECTED_IN_PART] = TM_EXPORT_DELIVERED,
	[EXPORTER_REFUSED] = TM_EXPORT_REFUSED,
	[EXPORTER_UNTRUSTED] = TM_EXPORT_UNTRUSTED,
	[EXPORTER_FAILED] = TM_EXPORT_FAILED,
	[EXPORTER_EXPIRED] = TM_EXPORT_EXPIRED,
	[EXPORTER_QUEUE_FULL] = TM_EXPORT_QUEUE_FULL,
	[EXPORTER_TOO_LARGE] = TM_EXPORT_TOO_LARGE,
	[EXPORTER_LEFT] = TM_EXPORT_UNFINISHED,
};

/* Return: whether the answer is to a request of ours. Those of a symbolizer that died are no error,
 * and are not counted. */
static bool close_request(struct exporter_client *client, const struct exporter_message *message)
{
	struct exporter_client_request *request = NULL, closed;

	for (unsigned i = 0; i < client->open_count && !request; i++)
		if (client->open[i].id == message->id)
			request = &client->open[i];
	if (!request)
		return message->id <= client->last_id;
	closed = *request;
	*request = client->open[--client->open_count];
	settle(client, &closed, outcomes[message->status], message->rejected);
	return true;
}

static bool is_outcome(const struct exporter_message *message)
{
	return message->kind == EXPORTER_OUTCOME && message->status < EXPORTER_STATUS_N;
}

void exporter_client_receive(struct exporter_client *client)
{
	struct exporter_message message;
	int r;

	while (client->socket >= 0) {
		r = tm_fdpass_recv(client->socket, &message, sizeof(message), NULL, MSG_DONTWAIT);
		if (r == TM_FDPASS_E_AGAIN)
			return;
		if (r != 0 || !is_outcome(&message) || !close_request(client, &message))
			lose(client);
	}
}

void exporter_client_accept(struct exporter_client *client)
{
	if (client->socket < 0)
		client->socket = tm_service_accept(client->listener);
}

/* --- requests --------------------------------------------------------------------------------- */

int exporter_client_body(void)
{
	int body = memfd_create("otlp", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	return body < 0 ? -errno : body;
}

uint64_t exporter_client_seal(int body)
{
	struct stat status;

	if (fcntl(body, F_ADD_SEALS, SEALS) < 0 || fstat(body, &status) < 0)
		return 0;
	return (uint64_t)status.st_size;
}

/* Return: TM_EXPORT_DELIVERED: it was handed over; else what it counts as. */
static enum tm_export hand_over(struct exporter_client *client, int body,
				const struct exporter_message *send)
{
	int r;

	if (client->socket < 0)
		return TM_EXPORT_NO_EXPORTER;
	if (send->body_bytes == 0)
		return TM_EXPORT_MEMORY;
	if (client->open_count == EXPORTER_CLIENT_OPEN_MAX)
		return TM_EXPORT_QUEUE_FULL;
	r = tm_fdpass_send(client->socket, send, sizeof(*send), body, MSG_DONTWAIT);
	if (r == 0)
		return TM_EXPORT_DELIVERED;
	if (r == TM_FDPASS_E_AGAIN)
		return TM_EXPORT_QUEUE_FULL;
	lose(client);
	return TM_EXPORT_NO_EXPORTER;
}

void exporter_client_send(struct exporter_client *client, int body,
			  const struct exporter_message *message)
{
	struct exporter_message send = *message;
	enum tm_export done;

	exporter_client_receive(client);
	exporter_client_accept(client);
	send.kind = EXPORTER_SEND;
	send.id = ++client->last_id;
	done = hand_over(client, body, &send);
	if (done != TM_EXPORT_DELIVERED) {
		exporter_client_fail(client, done, send.samples);
		return;
	}
	client->open[client->open_count++] =
		(struct exporter_client_request){send.id, send.samples, /* spooled= */ false};
	client->result.bytes += send.body_bytes;
}

enum tm_export exporter_client_forward(struct exporter_client *client, int body,
				       const struct exporter_message *message)
{
	struct exporter_message send = *message;
	enum tm_export done;

	send.kind = EXPORTER_SEND;
	send.id = ++client->last_id;
	done = hand_over(client, body, &send);
	if (done == TM_EXPORT_DELIVERED)
		client->open[client->open_count++] = (struct exporter_client_request){
			send.id, send.samples, /* spooled= */ true};
	return done;
}

void exporter_client_shut_down(struct exporter_client *client)
{
	if (client->socket >= 0)
		(void)shutdown(client->socket, SHUT_WR);
}

void exporter_client_give_up(struct exporter_client *client)
{
	fail_open(client, TM_EXPORT_UNFINISHED);
}

void exporter_client_finish(struct exporter_client *client, unsigned ms)
{
	const uint64_t end_ms = tm_clock_ms() + ms;

	exporter_client_shut_down(client);
	exporter_client_receive(client);
	while (client->socket >= 0 && client->open_count > 0) {
		struct pollfd answer = {.fd = client->socket, .events = POLLIN};
		uint64_t now_ms = tm_clock_ms();

		if (now_ms >= end_ms)
			break;
		(void)poll(&answer, 1, (int)(end_ms - now_ms));
		exporter_client_receive(client);
	}
	exporter_client_give_up(client);
}
