/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * parser_client - the connection to the parser: requests, answers, deadlines, replacement
 *
 * Requests   PARSER_AT_ONCE are open at most. Each one is answered once, by its callback, unless it
 *            is cancelled.
 * Deadlines  a request without an answer in time has failed. It keeps its place at the parser,
 *            which may still be working on it, until the late answer comes and is dropped.
 * End        only end of file or a malformed message ends a parser. Its open requests fail, and the
 *            command is asked for another parser, again and again with pauses that double from
 *            PARSER_CLIENT_PAUSE_MS to PARSER_CLIENT_PAUSE_MAX, until parser_client_attach.
 * Trust      the parser is taken for hostile: the form of a message is checked here, the contents
 *            of a result by whoever asked for it.
 * Wait       never, but for parser_client_wait.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "shared/control.h"
#include "symbolizer/parser/parser.h"

#define PARSER_CLIENT_GRACE_MS  2000 /* beyond the parser's own deadline */
#define PARSER_CLIENT_PAUSE_MS  1000
#define PARSER_CLIENT_PAUSE_MAX 64000

struct parser_client_answer {
	enum tm_parse_failure failure; /* TM_PARSE_N: none, the answer is final */
	int fd; /* of the result; -1: the file has none. Closed after the call unless set to -1 */
};

/* @value: that of the request. Sends no other request. */
typedef void (*parser_client_fn)(void *context, uint32_t value,
				 struct parser_client_answer *answer);

struct parser_client_request {
	enum parser_kind kind;       /* PARSER_FILE, PARSER_VDSO, PARSER_ROWS */
	int target;                  /* descriptor of the file; -1: none. Stays the caller's */
	int parts[PARSER_PARTS_MAX]; /* `part_count` of them. They stay the caller's */
	uint32_t part_count;
	uint32_t count; /* of what the parts hold */
	uint32_t value;
	void *context;
	parser_client_fn fn;
};

struct parser_client_slot {
	bool used;
	parser_client_fn fn; /* NULL: nobody waits any more; a late answer is dropped */
	void *context;
	uint32_t value;
	uint32_t id;
	int64_t deadline_ms;
};

struct parser_client_counts {
	uint64_t lost; /* parsers that ended or broke the form */
	uint64_t failures[TM_PARSE_N];
};

struct parser_client {
	int socket;       /* owned; -1: there is no parser */
	pid_t first;      /* the parser that was started before the sandbox; 0: none */
	bool first_lost;  /* and it is not the one behind the socket any more */
	int control;      /* borrowed: the command; -1: none */
	int64_t again_ms; /* when the command is asked again */
	int64_t pause_ms; /* after that */
	uint32_t next_id;
	uint32_t ended; /* requests so far that got an answer or failed; free-running */
	struct parser_client_slot slots[PARSER_AT_ONCE];
	struct parser_client_counts counts;
};
#define PARSER_CLIENT_NULL \
	((struct parser_client){.socket = -1, .control = -1, .pause_ms = PARSER_CLIENT_PAUSE_MS})

enum {
	PARSER_CLIENT_E_BUSY = 1,    /* PARSER_AT_ONCE requests are open */
	PARSER_CLIENT_E_NONE = 2,    /* there is no parser */
	PARSER_CLIENT_E_TIMEOUT = 3, /* no request ended */
	PARSER_CLIENT_E_GONE = 4,    /* the command went away */
};

/*
 * Starts the first parser; only before the sandbox. @program: descriptor of it, stays the caller's.
 * Return: 0, -errno.
 */
int parser_client_start(struct parser_client *client, int program);
/* Lets the parser end. @ret_*: of the first one and its workers; 0 where not known. Total. */
void parser_client_stop(struct parser_client *client, uint64_t *ret_cpu_ns,
			uint64_t *ret_rss_bytes);
/* The command started another parser. Takes @socket. */
void parser_client_attach(struct parser_client *client, int socket);
/* Whether there is a parser and it takes one more request. */
bool parser_client_is_ready(const struct parser_client *client);
/* Return: 0, PARSER_CLIENT_E_BUSY, PARSER_CLIENT_E_NONE. */
int parser_client_ask(struct parser_client *client, const struct parser_client_request *request);
/* Nobody waits any more for the open requests of @context: their callbacks are not called. */
void parser_client_cancel(struct parser_client *client, const void *context);
/* Takes every answer that is there, fails what is overdue, asks for another parser if need be. */
void parser_client_round(struct parser_client *client);
/*
 * The same, once at least one request has ended or @timeout_ms has passed.
 * Return: 0, PARSER_CLIENT_E_TIMEOUT, PARSER_CLIENT_E_NONE, PARSER_CLIENT_E_GONE.
 */
int parser_client_wait(struct parser_client *client, int64_t timeout_ms);
/* How long a request can stay open. */
int64_t parser_client_patience_ms(void);
/* A request that was not sent failed, or one that was. */
void parser_client_count(struct parser_client *client, enum tm_parse_failure failure);
