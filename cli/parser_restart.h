/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * parser_restart - starts another tidemark-parser for a symbolizer that lost its own
 *
 * The symbolizer starts the first parser before it enters its sandbox, and nothing after that. So
 * the command starts each later one, under the symbolizer's account and without any capability, and
 * sends its socket to the symbolizer. What ends one parser may end every parser: at most
 * PARSER_RESTART_MAX are started within PARSER_RESTART_WITHIN_NS. The symbolizer asks again later.
 */

#include <stdbool.h>

#include "cli/child.h"
#include "cli/uid_pool.h"

#define PARSER_RESTART_MAX       5u
#define PARSER_RESTART_WITHIN_NS 60000000000ull

struct parser_restart {
	struct child parser;                     /* the last one; the one before is killed */
	uint64_t started_ns[PARSER_RESTART_MAX]; /* CLOCK_MONOTONIC; in turn */
	unsigned started;                        /* in all */
	uint64_t number;                         /* of the last one that this symbolizer was sent */
	unsigned refused;                        /* messages that found the limit reached */
	uint64_t cpu_ns, rss_bytes;              /* of those that ended, workers included */
};
#define PARSER_RESTART_NULL ((struct parser_restart){.parser = CHILD_NULL})

/* Whether the limit lets another one start at @now_ns; if so, it counts as started. */
bool parser_restart_allows(struct parser_restart *restart, uint64_t now_ns);
/*
 * Answers PARSER_LOST of @symbolizer; @lost: its number. Does nothing if that parser is replaced
 * already. @program: descriptor of tidemark-parser, the caller's.
 */
void parser_restart_run(struct parser_restart *restart, uint64_t lost, int program,
			struct uid_pool_account account, struct child *symbolizer);
/* Another symbolizer was started; its first parser is its own. */
void parser_restart_renumber(struct parser_restart *restart);
/* The symbolizer has ended and its parser is about to: waits at most @wait_ms for it. Total. */
void parser_restart_stop(struct parser_restart *restart, int wait_ms);
