/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spool_client - the symbolizer's end of the socket to tidemark-spool: its messages, checked
 */

#include "symbolizer/output/spool_client.h"

#include <fcntl.h>
#include <sys/socket.h>

#include "shared/cleanup.h"
#include "shared/fdpass.h"
#include "shared/region.h"
#include "shared/service.h"

void spool_client_init(struct spool_client *client, int socket, uint64_t first_id)
{
	*client = (struct spool_client){
		.socket = socket, .listener = -1, .first_id = first_id, .last_id = first_id};
}

bool spool_client_accept(struct spool_client *client)
{
	if (client->socket >= 0)
		return false;
	client->socket = tm_service_accept(client->listener);
	return client->socket >= 0;
}

void spool_client_lose(struct spool_client *client)
{
	if (client->listener >= 0)
		(void)tm_close(client->socket); /* it is the last one that we accepted */
	client->socket = -1;
}

static int lose(struct spool_client *client)
{
	spool_client_lose(client);
	return SPOOL_CLIENT_E_GONE;
}

static int send_message(struct spool_client *client, const struct spool_message *message, int body)
{
	int r;

	if (client->socket < 0)
		return SPOOL_CLIENT_E_GONE;
	r = tm_fdpass_send(client->socket, message, sizeof(*message), body, MSG_DONTWAIT);
	if (r == TM_FDPASS_E_AGAIN)
		return SPOOL_CLIENT_E_BUSY;
	return r == 0 ? 0 : lose(client);
}

int spool_client_store(struct spool_client *client, const struct spool_message *message, int body)
{
	struct spool_message store = *message;

	store.kind = SPOOL_STORE;
	store.id = ++client->last_id;
	return send_message(client, &store, body);
}

int spool_client_fetch(struct spool_client *client, uint64_t after)
{
	const struct spool_message fetch = {
		.kind = SPOOL_FETCH, .id = ++client->last_id, .sequence = after};

	return send_message(client, &fetch, -1);
}

int spool_client_delivered(struct spool_client *client, uint64_t sequence)
{
	const struct spool_message delivered = {.kind = SPOOL_DELIVERED, .sequence = sequence};

	return send_message(client, &delivered, -1);
}

/* --- answers ---------------------------------------------------------------------------------- */

static bool is_stored(struct spool_client *client, const struct spool_message *m, int body)
{
	bool done = m->status == SPOOL_DONE;

	if (body >= 0 || m->flags != 0 || m->status >= SPOOL_STATUS_N || m->status == SPOOL_NONE ||
	    (done ? m->sequence <= client->last_sequence : m->sequence != 0))
		return false;
	if (done)
		client->last_sequence = m->sequence;
	return true;
}

static bool is_report(const struct spool_message *m, int body)
{
	size_t bytes;

	if (m->status == SPOOL_NONE || m->status == SPOOL_BROKEN)
		return body < 0;
	return m->status == SPOOL_DONE && body >= 0 && m->sequence > 0 &&
	       (m->flags & ~((uint32_t)SPOOL_GZIP | SPOOL_SHARE_MASK)) == 0 && m->body_bytes > 0 &&
	       m->body_bytes <= SPOOL_BODY_MAX && m->uncompressed_bytes > 0 &&
	       m->uncompressed_bytes <= SPOOL_UNCOMPRESSED_MAX &&
	       ((m->flags & SPOOL_GZIP) || m->uncompressed_bytes == m->body_bytes) &&
	       tm_region_check(body, TM_REGION_SEALS_BLOB, (size_t)m->body_bytes,
			       (size_t)m->body_bytes, &bytes) == 0;
}

static bool is_valid(struct spool_client *client, const struct spool_message *m, int body)
{
	if (m->id > client->last_id || m->reserved != 0)
		return false;
	if (m->kind == SPOOL_STORED)
		return is_stored(client, m, body);
	return m->kind == SPOOL_REPORT && is_report(m, body);
}

int spool_client_receive(struct spool_client *client, struct spool_message *ret_message,
			 int *ret_body)
{
	int r;

	*ret_body = -1;
	while (client->socket >= 0) {
		_cleanup_(tm_closep) int body = -1;

		r = tm_fdpass_recv(client->socket, ret_message, sizeof(*ret_message), &body,
				   MSG_DONTWAIT);
		if (r == TM_FDPASS_E_AGAIN)
			return SPOOL_CLIENT_E_NONE;
		if (r != 0 || !is_valid(client, ret_message, body))
			return lose(client);
		if (ret_message->id <= client->first_id)
			continue; /* of a symbolizer that died */
		*ret_body = TM_TAKE_FD(body);
		return 0;
	}
	return SPOOL_CLIENT_E_GONE;
}
