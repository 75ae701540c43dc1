/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * parser_client - the connection to the parser: requests, answers, deadlines, restarts
 *
 * Requests   at most PARSER_AT_ONCE are open. The callback of each one is called once, unless the
 *            request is cancelled.
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
 * Blocking   only parser_client_wait blocks.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "shared/control.h"
#include "shared/event.h"
#include "symbolizer/base/quarantine.h"
#include "symbolizer/parser/parser.h"

#define PARSER_CLIENT_GRACE_MS  2000 /* beyond the parser's own deadline */
#define PARSER_CLIENT_PAUSE_MS  1000
#define PARSER_CLIENT_PAUSE_MAX 64000

struct parser_client_answer {
	enum tm_parse_failure failure; /* TM_PARSE_N: it did not fail, the answer is final */
	uint32_t status;               /* enum parser_status */
	uint32_t cpu_ms;               /* that it took; 0: not known */
	int fd; /* the result; -1: there is none. Closed after the callback unless set to -1 */
};

/* @value: that of the request. The callback must not send another request. */
typedef void (*parser_client_fn)(void *context, uint32_t value,
				 struct parser_client_answer *answer);

struct parser_client_request {
	enum parser_kind kind;              /* of a request */
	int target;                         /* borrowed descriptor of the file; -1: none */
	const struct tm_identity *identity; /* of the target, borrowed; NULL: not compared */
	int parts[PARSER_PARTS_MAX];        /* borrowed descriptors, `part_count` of them */
	uint32_t part_count;
	uint32_t count;  /* number of items that the parts hold */
	uint32_t cpu_ms; /* that LINES may take at most; 0: no limit but the parser's */
	uint32_t value;  /* passed to the callback, as `context` is */
	void *context;
	parser_client_fn fn;
};

struct parser_client_slot {
	bool used;
	parser_client_fn fn; /* NULL: cancelled or failed; a late answer is dropped */
	void *context;
	uint32_t value;
	uint32_t id;
	int64_t deadline_ms;
	bool short_of_cpu; /* the request had a CPU time of its own, less than the parser's */
	bool compares;     /* `target`, owned, with `identity` */
	int target;
	struct tm_identity identity;
};

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
	uint32_t ended; /* requests that were answered or failed so far; wraps around */
	struct parser_client_slot slots[PARSER_AT_ONCE];
	struct parser_client_counts counts;
	struct quarantine quarantine;
};
#define PARSER_CLIENT_NULL       \
	((struct parser_client){ \
		.socket = -1, .control = -1, .retry_pause_ms = PARSER_CLIENT_PAUSE_MS})

enum {
	PARSER_CLIENT_E_BUSY = 1,    /* PARSER_AT_ONCE requests are open */
	PARSER_CLIENT_E_NONE = 2,    /* no parser is connected */
	PARSER_CLIENT_E_TIMEOUT = 3, /* no request ended */
	PARSER_CLIENT_E_GONE = 4,    /* the command closed its socket */
	PARSER_CLIENT_E_CHANGED = 5, /* the target is not in the announced state any more */
	PARSER_CLIENT_E_QUARANTINED = 6,
};

/*
 * Starts the first parser, before the sandbox is entered. @program: borrowed descriptor.
 * Return: 0, -errno.
 */
int parser_client_start(struct parser_client *client, int program);
/* Stops the parser. @ret_*: of the first one and its workers; 0 where unknown. Cannot fail. */
void parser_client_stop(struct parser_client *client, uint64_t *ret_cpu_ns,
			uint64_t *ret_rss_bytes);
/* Connects another parser, which the command started under @number. Takes @socket. */
void parser_client_attach(struct parser_client *client, int socket, uint64_t number);
/* Whether a parser is connected and has a free slot for a request. */
bool parser_client_is_ready(const struct parser_client *client);
/* Return: 0, PARSER_CLIENT_E_BUSY, _NONE, _CHANGED, _QUARANTINED. */
int parser_client_ask(struct parser_client *client, const struct parser_client_request *request);
/* Cancels the open requests of @context: their callbacks are not called. */
void parser_client_cancel(struct parser_client *client, const void *context);
/* Handles the answers that have arrived, fails overdue requests, requests a parser if needed. */
void parser_client_round(struct parser_client *client);
/*
 * The same, but blocks until at least one request has ended or @timeout_ms has passed.
 * Return: 0, PARSER_CLIENT_E_TIMEOUT, PARSER_CLIENT_E_NONE, PARSER_CLIENT_E_GONE.
 */
int parser_client_wait(struct parser_client *client, int64_t timeout_ms);
/* The longest time that a request can stay open. */
int64_t parser_client_request_max_ms(void);
/* The failure of a request that could not be sent. @r: why, as parser_client_ask returned it. */
enum tm_parse_failure parser_client_failure(int r);
/* Counts a failed request, also one that could not be sent. */
void parser_client_count(struct parser_client *client, enum tm_parse_failure failure);
