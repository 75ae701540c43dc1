/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server - takes reports from the symbolizer, keeps them, and hands out those that are to be sent
 */

#include "symbolizer/spool/server.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "shared/cleanup.h"
#include "shared/fdpass.h"
#include "shared/region.h"

#define EXPIRE_MS 60000 /* between two looks at the age of segments, while nothing is stored */

_Static_assert((int)SPOOL_GZIP == TM_SEGMENT_GZIP && (int)SPOOL_LOCAL == TM_SEGMENT_LOCAL &&
		       SPOOL_SHARE_MASK == TM_SEGMENT_SHARE_MASK,
	       "flags are stored as they come");
_Static_assert(SPOOL_BODY_MAX == TM_SEGMENT_BODY_MAX &&
		       SPOOL_UNCOMPRESSED_MAX == TM_SEGMENT_UNCOMPRESSED_MAX,
	       "what is accepted can be stored");

/* --- the messages ----------------------------------------------------------------------------- */

static bool is_store(const struct spool_message *m)
{
	const uint32_t flags = SPOOL_GZIP | SPOOL_LOCAL | SPOOL_SHARE_MASK;

	return m->kind == SPOOL_STORE && (m->flags & ~flags) == 0 && m->status == 0 &&
	       m->reserved == 0 && m->sequence == 0 && m->kept_bytes == 0 && m->reach_ns == 0 &&
	       m->least_ns == 0 && m->body_bytes > 0 && m->uncompressed_bytes > 0 &&
	       m->end_ktime >= m->start_ktime &&
	       ((m->flags & SPOOL_GZIP) || m->uncompressed_bytes == m->body_bytes);
}

/* All but these two are 0. */
static bool is_question(const struct spool_message *m)
{
	const struct spool_message expected = {
		.kind = m->kind,
		.id = m->kind == SPOOL_FETCH ? m->id : 0,
		.sequence = m->sequence,
	};

	return (m->kind == SPOOL_FETCH || m->kind == SPOOL_DELIVERED) &&
	       memcmp(m, &expected, sizeof(expected)) == 0;
}

static int answer(int socket, const struct spool_message *message, int fd)
{
	int r = tm_fdpass_send(socket, message, sizeof(*message), fd, 0);

	/* A peer that is gone is seen by the next receive. */
	return r == TM_FDPASS_E_AGAIN ? -EAGAIN : r < 0 ? r : 0;
}

static struct tm_segment_record record_of(const struct spool_message *m)
{
	return (struct tm_segment_record){
		.flags = (uint16_t)m->flags,
		.body_bytes = m->body_bytes,
		.uncompressed_bytes = m->uncompressed_bytes,
		.samples = m->samples,
		.start_ktime = m->start_ktime,
		.end_ktime = m->end_ktime,
		.boottime_offset = m->boottime_offset,
		.realtime_offset = m->realtime_offset,
	};
}

/* Return: 0, -EBADMSG, -errno. */
static int on_store(struct store *store, int socket, const struct spool_message *message, int fd)
{
	struct spool_message stored = {.kind = SPOOL_STORED, .id = message->id};
	struct tm_segment_record record = record_of(message);
	_cleanup_(tm_freep) void *body = NULL;
	size_t bytes = 0;
	int r;

	if (!is_store(message) || fd < 0)
		return -EBADMSG;
	if (message->body_bytes > store->options->report_bytes ||
	    message->uncompressed_bytes > SPOOL_UNCOMPRESSED_MAX) {
		stored.status = SPOOL_TOO_LARGE;
		return answer(socket, &stored, -1);
	}
	r = tm_region_copy_blob(fd, (size_t)message->body_bytes, (size_t)message->body_bytes, &body,
				&bytes);
	if (r < 0 && r != -ENOMEM)
		return r;
	stored.status = r < 0 ? SPOOL_BROKEN : store_append(store, &record, body);
	if (stored.status == SPOOL_DONE)
		stored.sequence = record.sequence;
	store_extent(store, &stored.kept_bytes, &stored.reach_ns, &stored.least_ns);
	return answer(socket, &stored, -1);
}

static int on_fetch(struct store *store, int socket, const struct spool_message *message)
{
	struct spool_message report = {.kind = SPOOL_REPORT, .id = message->id};
	_cleanup_(tm_closep) int fd = -1;
	struct tm_segment_record record;
	int r = store_fetch(store, message->sequence, &record, &fd);

	if (r == 0) {
		report.flags = record.flags;
		report.sequence = record.sequence;
		report.body_bytes = record.body_bytes;
		report.uncompressed_bytes = record.uncompressed_bytes;
		report.samples = record.samples;
		report.start_ktime = record.start_ktime;
		report.end_ktime = record.end_ktime;
		report.boottime_offset = record.boottime_offset;
		report.realtime_offset = record.realtime_offset;
	} else {
		report.status = r == STORE_E_NONE ? SPOOL_NONE : SPOOL_BROKEN;
	}
	return answer(socket, &report, fd);
}

static int handle(struct store *store, int socket, const struct spool_message *message, int fd)
{
	if (message->kind == SPOOL_STORE)
		return on_store(store, socket, message, fd);
	if (!is_question(message) || fd >= 0)
		return -EBADMSG;
	if (message->kind == SPOOL_FETCH)
		return on_fetch(store, socket, message);
	if (message->sequence >= store->next_sequence)
		return -EBADMSG;
	store_deliver(store, message->sequence);
	return 0;
}

int server_run(struct store *store, int socket)
{
	struct pollfd readable = {.fd = socket, .events = POLLIN};
	struct spool_message message;
	int r = 0, received = 0;

	while (r == 0) {
		_cleanup_(tm_closep) int fd = -1;

		if (poll(&readable, 1, EXPIRE_MS) == 0) {
			store_expire(store);
			continue;
		}
		received = tm_fdpass_recv(socket, &message, sizeof(message), &fd, MSG_DONTWAIT);
		if (received == TM_FDPASS_E_CLOSED)
			return 0;
		if (received == TM_FDPASS_E_AGAIN)
			continue;
		r = received < 0 ? received : handle(store, socket, &message, fd);
	}
	return r;
}
