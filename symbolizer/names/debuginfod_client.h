/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * debuginfod_client - the connection to tidemark-debuginfod: requests, answers, what is not there
 *
 * Requests   at most DEBUGINFOD_AT_ONCE are open. The callback of each one is called once, unless
 *            the request is cancelled.
 * Memory     an answer is memory, up to DEBUGINFOD_FILE_MAX bytes: whoever gets its descriptor
 *            closes it soon.
 * Trust      the process and its servers are taken for hostile. An answer that is not sealed, or
 *            too long, ends the connection. Nothing here reads it. Only the parser says which build
 *            id it has: the caller compares that with what it asked for before it uses anything,
 *            and calls debuginfod_client_refuse if they differ.
 * Negative   answers are kept: that no server has the file, that it is too large or refused, for
 *            DEBUGINFOD_CLIENT_NEGATIVE_MS; a failure for DEBUGINFOD_CLIENT_PAUSE_MS, twice as long
 *            each time. Of more than DEBUGINFOD_CLIENT_NEGATIVES the oldest is forgotten.
 * End        a process that ends, hangs, or sends an invalid message is not replaced: its open
 *            requests fail, and there are no more.
 * Blocking   never. No report waits for an answer.
 * Threads    the reader's.
 */

#include <stdbool.h>
#include <stdint.h>

#include "shared/result.h"
#include "symbolizer/debuginfod/debuginfod.h"

#define DEBUGINFOD_CLIENT_GRACE_MS    10000 /* beyond DEBUGINFOD_REQUEST_MS */
#define DEBUGINFOD_CLIENT_NEGATIVES   1024u
#define DEBUGINFOD_CLIENT_NEGATIVE_MS 3600000
#define DEBUGINFOD_CLIENT_PAUSE_MS    60000

/* @value: that of the request. Takes @fd; -1: there is no file for now. */
typedef void (*debuginfod_client_fn)(void *context, uint32_t value, int fd);

struct debuginfod_client_id {
	uint32_t bytes;
	uint8_t data[DEBUGINFOD_BUILD_ID_MAX]; /* the rest is zero */
};

struct debuginfod_client_slot {
	bool used;
	debuginfod_client_fn fn; /* NULL: cancelled; its answer is dropped */
	void *context;
	uint32_t value;
	uint32_t id;
	int64_t deadline_ms;
	struct debuginfod_client_id build_id;
};

struct debuginfod_client_negative {
	struct debuginfod_client_id build_id; /* of 0 bytes: free */
	int64_t until_ms;
	int64_t pause_ms; /* after the next failure */
};

struct debuginfod_client {
	int socket; /* owned; -1: there is no process */
	uint32_t next_id;
	uint32_t oldest; /* of `negatives` */
	struct debuginfod_client_slot slots[DEBUGINFOD_AT_ONCE];
	struct debuginfod_client_negative negatives[DEBUGINFOD_CLIENT_NEGATIVES];
	uint64_t counts[TM_DEBUGINFOD_N]; /* since a report */
};

enum {
	DEBUGINFOD_CLIENT_E_NONE = 1, /* there is none, as far as is known, or no process */
	/* DEBUGINFOD_AT_ONCE requests are open, or this one is, or the process does not read */
	DEBUGINFOD_CLIENT_E_BUSY = 2,
};

/* @socket: taken; -1: there is no process. */
void debuginfod_client_init(struct debuginfod_client *client, int socket);
void debuginfod_client_deinit(struct debuginfod_client *client);
/*
 * Asks for the debug file of @build_id. @fn: called from debuginfod_client_round; it must not ask.
 * Return: 0, DEBUGINFOD_CLIENT_E_NONE, DEBUGINFOD_CLIENT_E_BUSY.
 */
int debuginfod_client_ask(struct debuginfod_client *client, const uint8_t *build_id, uint32_t bytes,
			  debuginfod_client_fn fn, void *context, uint32_t value);
/* What was answered for @build_id has another one, or makes no sense: it is not asked for again. */
void debuginfod_client_refuse(struct debuginfod_client *client, const uint8_t *build_id,
			      uint32_t bytes);
/* Cancels the open requests of @context: their callbacks are not called. */
void debuginfod_client_cancel(struct debuginfod_client *client, const void *context);
/* Handles the answers that have arrived, fails overdue requests. */
void debuginfod_client_round(struct debuginfod_client *client);
