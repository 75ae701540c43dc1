/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * parser_restart - starts another tidemark-parser for a symbolizer that lost its own
 *
 * The symbolizer starts the first parser before it enters its sandbox, and nothing after that. So
 * the starter starts each later one, under the symbolizer's account and without any capability, and
 * sends its socket to the symbolizer, as often as restart_limit allows. The symbolizer asks again
 * later.
 */

#include <stdbool.h>

#include "cli/child.h"
#include "cli/restart_limit.h"
#include "cli/starter_client.h"

struct parser_restart {
	struct child parser; /* the last one; the one before is killed */
	struct restart_limit limit;
	uint64_t number;            /* of the last one that this symbolizer was sent */
	uint64_t cpu_ns, rss_bytes; /* of those that ended, workers included */
};
#define PARSER_RESTART_NULL ((struct parser_restart){.parser = CHILD_NULL})

/*
 * Answers PARSER_LOST of @symbolizer; @lost: its number. Does nothing if that parser is replaced
 * already.
 */
void parser_restart_run(struct parser_restart *restart, uint64_t lost,
			struct starter_client *starter, struct child *symbolizer);
/* Another symbolizer was started; its first parser is its own. */
void parser_restart_renumber(struct parser_restart *restart);
/* The symbolizer has ended and its parser is about to: waits at most @wait_ms for it. Total. */
void parser_restart_stop(struct parser_restart *restart, int wait_ms);
