/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * parser_client - the connection to the parser: requests, answers, deadlines, restarts
 *
 * Requests   at most PARSER_AT_ONCE are open that are younger than PARSER_SLOW_MS, and
 *            PARSER_OPEN_MAX in all. The callback of each one is called once, unless the request is
 *            cancelled.
 * Deadlines  a request that is not answered in time fails. Its slot stays in use, because the
 *            parser may still be working on it, until the late answer arrives and is dropped.
 * Restart    a parser is given up only at end of file or after a malformed message. Its open
 *            requests fail, and the command is asked for another parser until it attaches one,
 *            with pauses that double from PARSER_CLIENT_PAUSE_MS to PARSER_CLIENT_PAUSE_MAX.
 * Trust      the parser is treated as hostile: the form of a message is checked here, the contents
 *            of a result by the code that requested it.
 * Identity   a target with an identity is compared with it before it is sent and when the answer
 *            comes (file_identity.h). A result from a file that changed meanwhile is dropped.
 * Quarantine what cost a worker is not sent again for an hour (quarantine.h), by its identity.
 * Memory     of the workers: parser_slot.h. A request waits while workers have what it needs. One
 *            that needs more than the budget has fails, without quarantine.
 * Wait       never.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "shared/result.h"
#include "symbolizer/base/parser_slot.h"
#include "symbolizer/base/quarantine.h"

#define PARSER_CLIENT_GRACE_MS  2000 /* beyond the parser's own deadline */
#define PARSER_CLIENT_PAUSE_MS  1000
#define PARSER_CLIENT_PAUSE_MAX 64000

struct parser_client_counts {
	uint64_t lost; /* parsers that exited or sent an invalid message */
	uint64_t failures[TM_PARSE_N];
};

struct parser_client {
	int socket;             /* owned; -1: no parser is connected */
	pid_t first;            /* the parser that was started before the sandbox; 0: none */
	bool first_is_lost;     /* the first parser is gone; `socket` is that of a later one */
	int control;            /* borrowed: the socket to the command; -1: none */
	uint64_t number;        /* of the last parser that the command sent; 0: none yet */
	int64_t retry_ms;       /* when the command may be asked for a parser again */
	int64_t retry_pause_ms; /* how long to wait after asking it */
	uint32_t next_id;
	uint32_t ended;      /* requests that were answered or failed so far; wraps around */
	uint64_t workers_ms; /* CPU time of the workers that have ended, as the parser says */
	struct parser_slot slots[PARSER_OPEN_MAX];
	struct parser_client_counts counts;
	struct quarantine quarantine;
	struct budget memory; /* of the workers */
};
#define PARSER_CLIENT_NULL                                                \
	((struct parser_client){.socket = -1,                             \
				.control = -1,                            \
				.retry_pause_ms = PARSER_CLIENT_PAUSE_MS, \
				.memory.limit = UINT64_MAX})

enum {
	PARSER_CLIENT_E_BUSY = 1,    /* as many requests are open as may be, or as memory is for */
	PARSER_CLIENT_E_NONE = 2,    /* no parser is connected */
	PARSER_CLIENT_E_CHANGED = 3, /* the target is not in the announced state any more */
	PARSER_CLIENT_E_QUARANTINED = 4,
	PARSER_CLIENT_E_MEMORY = 5, /* the budget has too little for a worker */
};

/*
 * Starts the first parser, before the sandbox is entered. @program: borrowed descriptor.
 * Return: 0, -errno.
 */
int parser_client_start(struct parser_client *client, int program);
/* Stops the parser. @ret_*: of the first one and its workers; 0 where unknown. Cannot fail. */
void parser_client_stop(struct parser_client *client, uint64_t *ret_cpu_ns,
			uint64_t *ret_rss_bytes);
/* Return: CPU time so far of the first parser and of the workers of all, ns. */
uint64_t parser_client_cpu_ns(const struct parser_client *client);
/* Connects another parser, which the command started under @number. Takes @socket. */
void parser_client_attach(struct parser_client *client, int socket, uint64_t number);
/* Whether a parser is connected and has a free slot for a request, and memory. */
bool parser_client_is_ready(const struct parser_client *client);
/* Return: 0, PARSER_CLIENT_E_BUSY, _NONE, _CHANGED, _QUARANTINED, _MEMORY. */
int parser_client_ask(struct parser_client *client, const struct parser_client_request *request);
/* Cancels the open requests of @context: their callbacks are not called. */
void parser_client_cancel(struct parser_client *client, const void *context);
/* Handles the answers that have arrived, fails overdue requests, requests a parser if needed. */
void parser_client_round(struct parser_client *client);
/* The longest time that a request can stay open. */
int64_t parser_client_request_max_ms(void);
/* The failure of a request that could not be sent. @r: why, as parser_client_ask returned it. */
enum tm_parse_failure parser_client_failure(int r);
/* Counts a failed request, also one that could not be sent. */
void parser_client_count(struct parser_client *client, enum tm_parse_failure failure);
