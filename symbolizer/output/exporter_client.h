/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * exporter_client - hands request bodies over to tidemark-exporter and counts what became of them
 *
 * Trust      the exporter talks to servers, so it is taken for hostile: a message of another form,
 *            or about no request of ours, ends the connection, and what was open counts as lost.
 * Limits     EXPORTER_CLIENT_OPEN_MAX requests without an answer; one more counts as queue_full.
 * Service    an exporter that comes later, or after another one, is accepted when there is
 *            something to send.
 * Spool      a request that comes from the spool is not counted here: its outcome, which may not
 *            be the last one, goes to `settled` (report_delivery.h).
 * Threads    one at a time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/result.h"
#include "symbolizer/exporter/exporter.h"

#define EXPORTER_CLIENT_OPEN_MAX EXPORTER_BODIES_MAX

struct exporter_client_request {
	uint64_t id;
	uint64_t samples;
	bool spooled;
};

struct exporter_client {
	int socket;   /* borrowed; -1: there is no exporter, or no more */
	int listener; /* borrowed: where the next one connects; -1: no other one comes */
	uint64_t last_id;
	unsigned open_count;
	struct exporter_client_request open[EXPORTER_CLIENT_OPEN_MAX];
	struct tm_export_result result;
	void (*settled)(void *context, enum tm_export outcome, uint64_t rejected);
	void *context;
};

/* @socket: -1: there is no exporter. @first_id: higher than any of a client before this one. */
void exporter_client_init(struct exporter_client *client, int socket, uint64_t first_id);
/* A memfd to write a body into, CLOEXEC. Return: descriptor, -errno. */
int exporter_client_body(void);
/* Return: bytes of @body, which cannot be changed any more; 0: it could not be sealed. */
uint64_t exporter_client_seal(int body);
/* Hands a sealed body over, which stays the caller's. @message: body_bytes (0: it could not be
 * sealed), uncompressed_bytes, samples and flags. */
void exporter_client_send(struct exporter_client *client, int body,
			  const struct exporter_message *message);
/* The same for one from the spool. Return: TM_EXPORT_DELIVERED: it was handed over, and `settled`
 * says what becomes of it; else why it was not. */
enum tm_export exporter_client_forward(struct exporter_client *client, int body,
				       const struct exporter_message *message);
/* Counts a request with @samples that could not be made. */
void exporter_client_fail(struct exporter_client *client, enum tm_export why, uint64_t samples);
/* Accepts the next exporter, if there is none and one waits. */
void exporter_client_accept(struct exporter_client *client);
/* Reads the answers that are there. Never waits. */
void exporter_client_receive(struct exporter_client *client);
/* Sends no more, and waits for all answers, at most @ms; what has none then is unfinished. */
void exporter_client_finish(struct exporter_client *client, unsigned ms);
/* The parts of that: says that no more is sent; gives up what has no answer. */
void exporter_client_shut_down(struct exporter_client *client);
void exporter_client_give_up(struct exporter_client *client);
