/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server - answers requests for build ids: asks one server after the other, several at once
 */

#include "symbolizer/debuginfod/server.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "shared/clock.h"
#include "shared/fdpass.h"
#include "symbolizer/debuginfod/transfer.h"

#define POLL_MS 60000 /* libcurl wakes up earlier when it has something to do */

struct slot { /* for one request */
	bool used;
	uint32_t id;
	unsigned next; /* server to ask after this one */
	int64_t deadline_ms;
	enum debuginfod_status status; /* the gravest of the servers asked so far */
	char build_id[2 * DEBUGINFOD_BUILD_ID_MAX + 1];
	struct transfer transfer;
};

struct remote {            /* one server */
	int64_t paused_ms; /* until when it is left out */
	bool has_failed;   /* and that was printed */
};

struct server {
	const struct options *options;
	const struct network *network;
	uint64_t held; /* bytes of all transfers */
	struct remote remotes[DEBUGINFOD_SERVERS_MAX];
	struct slot slots[DEBUGINFOD_AT_ONCE];
};

static int64_t now_ms(void)
{
	return (int64_t)tm_clock_ms();
}

static void finish(struct server *server, struct slot *slot, enum debuginfod_status status)
{
	const int socket = server->options->socket;
	struct debuginfod_message result = {
		.kind = DEBUGINFOD_RESULT,
		.id = slot->id,
		.status = status,
	};

	if (tm_fdpass_send(socket, &result, sizeof(result),
			   status == DEBUGINFOD_OK ? slot->transfer.memfd : -1,
			   0) == TM_FDPASS_E_AGAIN) {
		result.status = DEBUGINFOD_FAILED;
		(void)tm_fdpass_send(socket, &result, sizeof(result), -1, 0);
	}
	transfer_deinit(&slot->transfer);
	slot->used = false;
}

/* DEBUGINFOD_FAILED is the gravest: it alone may be different next time. */
static void note(struct slot *slot, enum debuginfod_status status)
{
	if (status > slot->status)
		slot->status = status;
}

/* Asks the next server that is not paused; ends the request when there is none. */
static void ask_next(struct server *server, struct slot *slot)
{
	const struct options *options = server->options;

	while (slot->next < options->url_count) {
		unsigned at = slot->next++;
		const struct transfer_request request = {
			.options = options,
			.network = server->network,
			.server = options->urls[at],
			.build_id = slot->build_id,
			.timeout_ms = slot->deadline_ms - now_ms(),
			.held = &server->held,
			.context = slot,
		};

		if (server->remotes[at].paused_ms <= now_ms() && request.timeout_ms > 0 &&
		    transfer_start(&slot->transfer, &request) == 0)
			return;
		note(slot, DEBUGINFOD_FAILED);
	}
	finish(server, slot, slot->status);
}

static void on_end(struct server *server, struct slot *slot, CURLcode code)
{
	unsigned at = slot->next - 1;
	struct remote *remote = &server->remotes[at];
	bool unreachable = false;
	enum debuginfod_status status = transfer_end(&slot->transfer, code, &unreachable);

	if (status == DEBUGINFOD_OK) {
		finish(server, slot, DEBUGINFOD_OK);
		return;
	}
	if (unreachable)
		remote->paused_ms = now_ms() + SERVER_PAUSE_MS;
	if (status == DEBUGINFOD_FAILED && !remote->has_failed) {
		remote->has_failed = true;
		(void)network_explain(server->network, code, slot->transfer.error,
				      sizeof(slot->transfer.error));
		(void)fprintf(stderr, "%s did not answer for build id %s: %s\n",
			      server->options->urls[at], slot->build_id, slot->transfer.error);
	}
	note(slot, status);
	transfer_deinit(&slot->transfer);
	ask_next(server, slot);
}

static void take_ended(struct server *server)
{
	CURLMsg *message;
	int left;

	while ((message = curl_multi_info_read(server->network->multi, &left))) {
		CURLcode code = message->data.result;
		char *slot = NULL;

		if (message->msg == CURLMSG_DONE &&
		    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &slot) == CURLE_OK)
			on_end(server, (struct slot *)(void *)slot, code);
	}
}

static struct slot *free_slot(struct server *server)
{
	for (unsigned i = 0; i < DEBUGINFOD_AT_ONCE; i++)
		if (!server->slots[i].used)
			return &server->slots[i];
	return NULL;
}

static bool is_valid(const struct debuginfod_message *request)
{
	return request->kind == DEBUGINFOD_REQUEST &&
	       request->build_id_bytes >= DEBUGINFOD_BUILD_ID_MIN &&
	       request->build_id_bytes <= DEBUGINFOD_BUILD_ID_MAX;
}

/* Return: 0; TM_FDPASS_E_CLOSED, -errno: the client cannot be served any more. */
static int receive_request(struct server *server, struct slot *slot)
{
	struct debuginfod_message request;
	int r = tm_fdpass_recv(server->options->socket, &request, sizeof(request), NULL,
			       MSG_DONTWAIT);

	if (r == TM_FDPASS_E_AGAIN)
		return 0;
	if (r)
		return r;
	if (!is_valid(&request))
		return -EBADMSG;
	*slot = (struct slot){
		.used = true,
		.id = request.id,
		.deadline_ms = now_ms() + DEBUGINFOD_REQUEST_MS,
		.status = DEBUGINFOD_NOT_FOUND,
		.transfer = TRANSFER_NULL,
	};
	for (uint32_t i = 0; i < request.build_id_bytes; i++)
		(void)snprintf(slot->build_id + (size_t)2 * i, 3, "%02x", request.build_id[i]);
	ask_next(server, slot);
	return 0;
}

/* Return: as receive_request(). */
static int serve_once(struct server *server)
{
	struct slot *slot = free_slot(server);
	struct curl_waitfd socket = {.fd = server->options->socket, .events = CURL_WAIT_POLLIN};
	struct pollfd peer = {.fd = socket.fd, .events = POLLIN};
	int running;

	if (!slot)
		socket.events = 0;
	if (curl_multi_poll(server->network->multi, &socket, 1, POLL_MS, NULL) != CURLM_OK ||
	    curl_multi_perform(server->network->multi, &running) != CURLM_OK)
		return -EIO;
	take_ended(server);
	if (poll(&peer, 1, 0) <= 0)
		return 0;
	if (!(peer.revents & POLLIN))
		return TM_FDPASS_E_CLOSED;
	return slot ? receive_request(server, slot) : 0;
}

int server_run(const struct options *options, const struct network *network)
{
	struct server server = {.options = options, .network = network};
	int r = 0;

	for (unsigned i = 0; i < DEBUGINFOD_AT_ONCE; i++)
		server.slots[i].transfer = TRANSFER_NULL;
	while (!r)
		r = serve_once(&server);
	for (unsigned i = 0; i < DEBUGINFOD_AT_ONCE; i++)
		transfer_deinit(&server.slots[i].transfer);
	return r == TM_FDPASS_E_CLOSED ? 0 : r;
}
