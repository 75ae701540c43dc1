/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debuginfod_client - the connection to tidemark-debuginfod: requests, answers, what is not there
 */

#include "symbolizer/names/debuginfod_client.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/fdpass.h"

#define SEALS (F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

static int64_t now_ms(void)
{
	return (int64_t)tm_clock_ms();
}

static bool is_valid(uint32_t bytes)
{
	return bytes >= DEBUGINFOD_BUILD_ID_MIN && bytes <= DEBUGINFOD_BUILD_ID_MAX;
}

static struct debuginfod_client_id make_id(const uint8_t *build_id, uint32_t bytes)
{
	struct debuginfod_client_id id = {.bytes = bytes};

	memcpy(id.data, build_id, bytes);
	return id;
}

/* --- what is not there ------------------------------------------------------------------------ */

static struct debuginfod_client_negative *find(struct debuginfod_client *client,
					       const struct debuginfod_client_id *id)
{
	for (uint32_t i = 0; i < DEBUGINFOD_CLIENT_NEGATIVES; i++)
		if (memcmp(&client->negatives[i].build_id, id, sizeof(*id)) == 0)
			return &client->negatives[i];
	return NULL;
}

static struct debuginfod_client_negative *remember(struct debuginfod_client *client,
						   const struct debuginfod_client_id *id)
{
	struct debuginfod_client_negative *negative = find(client, id);

	if (negative)
		return negative;
	negative = &client->negatives[client->oldest++ % DEBUGINFOD_CLIENT_NEGATIVES];
	*negative = (struct debuginfod_client_negative){
		.build_id = *id,
		.pause_ms = DEBUGINFOD_CLIENT_PAUSE_MS,
	};
	return negative;
}

static void keep_final(struct debuginfod_client *client, const struct debuginfod_client_id *id)
{
	remember(client, id)->until_ms = now_ms() + DEBUGINFOD_CLIENT_NEGATIVE_MS;
}

static void keep_failure(struct debuginfod_client *client, const struct debuginfod_client_id *id)
{
	struct debuginfod_client_negative *negative = remember(client, id);

	negative->until_ms = now_ms() + negative->pause_ms;
	if (negative->pause_ms < DEBUGINFOD_CLIENT_NEGATIVE_MS / 2)
		negative->pause_ms *= 2;
}

void debuginfod_client_refuse(struct debuginfod_client *client, const uint8_t *build_id,
			      uint32_t bytes)
{
	struct debuginfod_client_id id;

	if (!is_valid(bytes))
		return;
	id = make_id(build_id, bytes);
	client->counts[TM_DEBUGINFOD_REFUSED]++;
	keep_final(client, &id);
}

/* --- answers ---------------------------------------------------------------------------------- */

static enum tm_debuginfod_count count_of(enum debuginfod_status status)
{
	switch (status) {
	case DEBUGINFOD_OK:
		return TM_DEBUGINFOD_FOUND;
	case DEBUGINFOD_NOT_FOUND:
		return TM_DEBUGINFOD_MISSING;
	case DEBUGINFOD_TOO_LARGE:
		return TM_DEBUGINFOD_TOO_LARGE;
	default:
		return TM_DEBUGINFOD_FAILED;
	}
}

/* Takes @fd. */
static void finish(struct debuginfod_client *client, struct debuginfod_client_slot *slot,
		   enum debuginfod_status status, int fd)
{
	debuginfod_client_fn fn = slot->fn;

	slot->fn = NULL;
	client->counts[count_of(status)]++;
	if (status == DEBUGINFOD_FAILED)
		keep_failure(client, &slot->build_id);
	else if (status != DEBUGINFOD_OK)
		keep_final(client, &slot->build_id);
	if (fn)
		fn(slot->context, slot->value, fd);
	else
		(void)tm_close(fd);
}

static void drop_process(struct debuginfod_client *client)
{
	client->socket = tm_close(client->socket);
	for (unsigned i = 0; i < DEBUGINFOD_AT_ONCE; i++) {
		client->slots[i].used = false;
		if (client->slots[i].fn)
			finish(client, &client->slots[i], DEBUGINFOD_FAILED, -1);
	}
}

/* Only memory has seals, so no other file is asked anything. */
static bool is_sealed(int fd)
{
	struct stat status;
	int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && (seals & SEALS) == SEALS && fstat(fd, &status) == 0 &&
	       status.st_size > 0 && status.st_size <= DEBUGINFOD_FILE_MAX;
}

/* Return: 0, -EBADMSG. Takes @fd. */
static int handle_result(struct debuginfod_client *client, const struct debuginfod_message *result,
			 int fd)
{
	_cleanup_(tm_closep) int taken = fd;
	struct debuginfod_client_slot *slot = NULL;

	for (unsigned i = 0; i < DEBUGINFOD_AT_ONCE; i++)
		if (client->slots[i].used && client->slots[i].id == result->id)
			slot = &client->slots[i];
	if (!slot || result->kind != DEBUGINFOD_RESULT || result->status >= DEBUGINFOD_STATUS_N ||
	    (result->status == DEBUGINFOD_OK) != (taken >= 0) || (taken >= 0 && !is_sealed(taken)))
		return -EBADMSG;
	slot->used = false;
	if (slot->fn)
		finish(client, slot, (enum debuginfod_status)result->status, TM_TAKE_FD(taken));
	return 0;
}

void debuginfod_client_round(struct debuginfod_client *client)
{
	while (client->socket >= 0) {
		struct debuginfod_message result;
		int fd = -1;
		int r = tm_fdpass_recv(client->socket, &result, sizeof(result), &fd, MSG_DONTWAIT);

		if (r == TM_FDPASS_E_AGAIN)
			break;
		if (r != 0 || handle_result(client, &result, fd) < 0)
			drop_process(client);
	}
	/* The process has a shorter deadline of its own. */
	for (unsigned i = 0; i < DEBUGINFOD_AT_ONCE; i++)
		if (client->slots[i].used && now_ms() > client->slots[i].deadline_ms)
			drop_process(client);
}

/* --- requests --------------------------------------------------------------------------------- */

/* Return: a free slot; NULL: there is none, or @id is asked for already. */
static struct debuginfod_client_slot *slot_for(struct debuginfod_client *client,
					       const struct debuginfod_client_id *id)
{
	struct debuginfod_client_slot *slot = NULL;

	for (unsigned i = 0; i < DEBUGINFOD_AT_ONCE; i++) {
		if (!client->slots[i].used)
			slot = &client->slots[i];
		else if (memcmp(&client->slots[i].build_id, id, sizeof(*id)) == 0)
			return NULL;
	}
	return slot;
}

/* Return: as tm_fdpass_send. */
static int send_request(const struct debuginfod_client *client,
			const struct debuginfod_client_slot *slot)
{
	struct debuginfod_message message = {
		.kind = DEBUGINFOD_REQUEST,
		.id = slot->id,
		.build_id_bytes = slot->build_id.bytes,
	};

	memcpy(message.build_id, slot->build_id.data, sizeof(message.build_id));
	/* The socket buffer holds the messages of all DEBUGINFOD_AT_ONCE requests. */
	return tm_fdpass_send(client->socket, &message, sizeof(message), -1, MSG_DONTWAIT);
}

int debuginfod_client_ask(struct debuginfod_client *client, const uint8_t *build_id, uint32_t bytes,
			  debuginfod_client_fn fn, void *context, uint32_t value)
{
	const struct debuginfod_client_negative *negative;
	struct debuginfod_client_slot *slot;
	struct debuginfod_client_id id;
	int r;

	if (client->socket < 0 || !is_valid(bytes))
		return DEBUGINFOD_CLIENT_E_NONE;
	id = make_id(build_id, bytes);
	negative = find(client, &id);
	if (negative && now_ms() < negative->until_ms)
		return DEBUGINFOD_CLIENT_E_NONE;
	slot = slot_for(client, &id);
	if (!slot)
		return DEBUGINFOD_CLIENT_E_BUSY;
	*slot = (struct debuginfod_client_slot){
		.used = true,
		.fn = fn,
		.context = context,
		.value = value,
		.id = client->next_id++,
		.deadline_ms = now_ms() + DEBUGINFOD_REQUEST_MS + DEBUGINFOD_CLIENT_GRACE_MS,
		.build_id = id,
	};
	r = send_request(client, slot);
	if (r != 0)
		*slot = (struct debuginfod_client_slot){.used = false};
	if (r == TM_FDPASS_E_AGAIN)
		return DEBUGINFOD_CLIENT_E_BUSY;
	if (r != 0) {
		drop_process(client);
		return DEBUGINFOD_CLIENT_E_NONE;
	}
	client->counts[TM_DEBUGINFOD_ASKED]++;
	return 0;
}

void debuginfod_client_cancel(struct debuginfod_client *client, const void *context)
{
	for (unsigned i = 0; i < DEBUGINFOD_AT_ONCE; i++)
		if (client->slots[i].context == context)
			client->slots[i].fn = NULL;
}

void debuginfod_client_init(struct debuginfod_client *client, int socket)
{
	memset(client, 0, sizeof(*client)); /* too large for a compound literal */
	client->socket = socket;
}

void debuginfod_client_deinit(struct debuginfod_client *client)
{
	client->socket = tm_close(client->socket);
}
