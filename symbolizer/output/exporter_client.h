/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * exporter_client - hands request bodies over to tidemark-exporter and counts what became of them
 *
 * Trust      the exporter talks to servers, so it is taken for hostile: a message of another form,
 *            or about no request of ours, ends the connection, and what was open counts as lost.
 * Limits     EXPORTER_CLIENT_OPEN_MAX requests without an answer; one more counts as queue_full.
 * Threads    the reporter's alone.
 */

#include <stddef.h>
#include <stdint.h>

#include "shared/result.h"
#include "symbolizer/exporter/exporter.h"

#define EXPORTER_CLIENT_OPEN_MAX EXPORTER_BODIES_MAX

struct exporter_client_request {
	uint64_t id;
	uint64_t samples;
};

struct exporter_client {
	int socket; /* borrowed; -1: there is no exporter, or no more */
	uint64_t last_id;
	unsigned open_count;
	struct exporter_client_request open[EXPORTER_CLIENT_OPEN_MAX];
	struct tm_export_result result;
};

/* @socket: -1: there is no exporter. @first_id: higher than any of a client before this one. */
void exporter_client_init(struct exporter_client *client, int socket, uint64_t first_id);
/* A memfd to write a body into, CLOEXEC. Return: descriptor, -errno. */
int exporter_client_body(void);
/* Seals @body, which stays the caller's, and hands it over. @message: uncompressed_bytes, samples
 * and flags. */
void exporter_client_send(struct exporter_client *client, int body,
			  const struct exporter_message *message);
/* Counts a request with @samples that could not be made. */
void exporter_client_fail(struct exporter_client *client, enum tm_export why, uint64_t samples);
/* Reads the answers that are there. Never waits. */
void exporter_client_receive(struct exporter_client *client);
/* Sends no more, and waits for all answers, at most @ms; what has none then is unfinished. */
void exporter_client_finish(struct exporter_client *client, unsigned ms);
