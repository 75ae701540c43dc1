/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server - takes bodies from the symbolizer, has them delivered, and sends back what became of them
 */

#include "symbolizer/exporter/server.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/fdpass.h"
#include "shared/region.h"

#define POLL_MS 60000 /* libcurl wakes up earlier when it has something to do */

struct server {
	const struct options *options;
	const struct network *network;
	struct delivery *delivery;
	bool peer_gone;  /* nobody reads OUTCOMEs */
	bool unresolved; /* the last request had no address to go to */
};

static int64_t now_ms(void)
{
	return (int64_t)tm_clock_ms();
}

static bool is_valid(const struct exporter_message *send)
{
	return send->kind == EXPORTER_SEND && (send->flags & ~(uint32_t)EXPORTER_GZIP) == 0 &&
	       send->body_bytes > 0 && send->uncompressed_bytes > 0 && send->rejected == 0 &&
	       send->status == 0 && send->http_status == 0 && send->attempts == 0 &&
	       send->reserved == 0 &&
	       ((send->flags & EXPORTER_GZIP) || send->uncompressed_bytes == send->body_bytes);
}

static bool is_too_large(const struct server *server, const struct exporter_message *send)
{
	return send->body_bytes > EXPORTER_BODY_MAX ||
	       send->uncompressed_bytes > EXPORTER_UNCOMPRESSED_MAX ||
	       send->body_bytes > server->options->queue_bytes;
}

/* Return: 0; -EBADMSG: not as exporter.h says; -errno. */
static int accept_body(struct server *server, const struct exporter_message *send, int fd)
{
	void *bytes = NULL;
	size_t count = 0;
	int r;

	if (!is_valid(send) || fd < 0)
		return -EBADMSG;
	if (is_too_large(server, send)) {
		delivery_refuse(server->delivery, send->id, EXPORTER_TOO_LARGE);
		return 0;
	}
	r = tm_region_copy_blob(fd, (size_t)send->body_bytes, (size_t)send->body_bytes, &bytes,
				&count);
	if (r == -ENOMEM) {
		delivery_refuse(server->delivery, send->id, EXPORTER_FAILED);
		return 0;
	}
	if (r == 0)
		delivery_accept(server->delivery, send, bytes, now_ms());
	return r;
}

/* Return: 0, -errno: the peer cannot be served any more. */
static int receive(struct server *server)
{
	_cleanup_(tm_closep) int fd = -1;
	struct exporter_message send;
	int r = tm_fdpass_recv(server->options->socket, &send, sizeof(send), &fd, MSG_DONTWAIT);

	if (r == TM_FDPASS_E_AGAIN)
		return 0;
	if (r == TM_FDPASS_E_CLOSED) {
		delivery_end(server->delivery, now_ms(), server->options->flush_seconds * 1000);
		return 0;
	}
	return r < 0 ? r : accept_body(server, &send, fd);
}

static void send_outcomes(struct server *server)
{
	const struct exporter_message *outcome;

	while ((outcome = delivery_outcome(server->delivery))) {
		int r = 0;

		if (!server->peer_gone)
			r = tm_fdpass_send(server->options->socket, outcome, sizeof(*outcome), -1,
					   MSG_DONTWAIT);
		if (r == TM_FDPASS_E_AGAIN)
			return;
		if (r)
			server->peer_gone = true;
		delivery_drop_outcome(server->delivery);
	}
}

static void take_ended(struct server *server)
{
	CURLMsg *message;
	int left;

	while ((message = curl_multi_info_read(server->network->multi, &left)))
		if (message->msg == CURLMSG_DONE) {
			server->unresolved = message->data.result == CURLE_COULDNT_RESOLVE_HOST;
			delivery_ended(server->delivery, message->data.result, now_ms());
		}
}

/* Return: as receive(). */
static int serve_once(struct server *server)
{
	struct delivery *delivery = server->delivery;
	struct curl_waitfd socket = {.fd = server->options->socket};
	int64_t wait;
	int running;

	delivery_step(delivery, now_ms());
	wait = delivery_wait_ms(delivery, now_ms());
	if (!delivery->ending)
		socket.events |= CURL_WAIT_POLLIN;
	if (delivery->outcome_count > 0)
		socket.events |= CURL_WAIT_POLLOUT;
	/* A socket that is hung up wakes up every poll, whatever it is asked for. */
	if (curl_multi_poll(server->network->multi, &socket, socket.events ? 1 : 0,
			    wait >= 0 && wait < POLL_MS ? (int)wait : POLL_MS, NULL) != CURLM_OK ||
	    curl_multi_perform(server->network->multi, &running) != CURLM_OK)
		return -EIO;
	take_ended(server);
	send_outcomes(server);
	return delivery->ending ? 0 : receive(server);
}

/* A symbolizer that does not read its OUTCOMEs is not waited for beyond the deadline. */
static bool is_over(const struct delivery *delivery)
{
	return delivery->ending && delivery->queue.count == 0 &&
	       (delivery->outcome_count == 0 || now_ms() >= delivery->deadline_ms);
}

/* The service's exporter ends where it can look up no name any more, so that another one comes: if
 * it can, while nothing is under way. That of a recording is the only one, and may go on with the
 * address that it has. */
static bool is_to_be_replaced(const struct server *server)
{
	const struct delivery *delivery = server->delivery;
	bool idle = delivery->queue.count == 0 && delivery->outcome_count == 0;
	const char *file = NULL;

	if (server->options->endpoint.url[0] && (idle || server->unresolved))
		file = network_stale_file(server->network);
	if (!file)
		return false;
	(void)fprintf(stderr,
		      "%s was replaced: tidemark-exporter ends, and the next one can read it\n",
		      file);
	return true;
}

int server_run(const struct options *options, const struct network *network,
	       struct delivery *delivery)
{
	struct server server = {.options = options, .network = network, .delivery = delivery};
	int r = 0;

	while (r == 0 && !is_over(delivery) && !is_to_be_replaced(&server))
		r = serve_once(&server);
	return r;
}
