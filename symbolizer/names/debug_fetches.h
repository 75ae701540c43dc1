/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * debug_fetches - gets the symbols of debug files that this host lacks from debuginfod servers
 *
 * Files      those without a .symtab for which debug_files found nothing.
 * Checked    the parser reads the build id of what came. If that is not the sampled file's, or
 *            there is no .symtab, the answer is refused (debuginfod_client.h).
 * Waiting    nobody waits: a report that is made meanwhile shows what the file itself has.
 * Limits     DEBUGINFOD_AT_ONCE answers are asked for or parsed; DEBUG_FETCHES_QUEUE files wait.
 *            One more is forgotten until debug_files has looked for it again.
 * Threads    the reader's.
 */

#include "symbolizer/base/parser_client.h"
#include "symbolizer/names/debuginfod_client.h"
#include "symbolizer/names/symbol_debug.h"

#define DEBUG_FETCHES_QUEUE 256u

enum debug_fetches_stage {
	DEBUG_FETCHES_FREE = 0,
	DEBUG_FETCHES_ASKED,
	DEBUG_FETCHES_TO_PARSE,
	DEBUG_FETCHES_PARSING,
};

struct debug_fetches_item {
	struct tm_identity identity;
	uint32_t build_id_bytes;
	uint8_t build_id[PARSER_BUILD_ID_MAX];
};

struct debug_fetches_slot {
	enum debug_fetches_stage stage;
	struct debug_fetches_item item;
	int fd; /* owned; TO_PARSE, PARSING: the answer */
};

struct debug_fetches {
	struct symbol_store *store;       /* borrowed */
	struct parser_client *parser;     /* borrowed */
	struct debuginfod_client *client; /* borrowed */
	struct debug_fetches_slot slots[DEBUGINFOD_AT_ONCE];
	struct debug_fetches_item queue[DEBUG_FETCHES_QUEUE];
	uint32_t head, tail; /* free-running */
	uint64_t used;       /* tables that went into the store */
};

void debug_fetches_init(struct debug_fetches *fetches, struct symbol_store *store,
			struct parser_client *parser, struct debuginfod_client *client);
void debug_fetches_deinit(struct debug_fetches *fetches);
/* This host has no debug file of @identity. Does nothing without a server, or a build id. */
void debug_fetches_add(struct debug_fetches *fetches, const struct tm_identity *identity,
		       const struct symbol_debug_links *links);
/* Asks and parses. Call after debuginfod_client_round. */
void debug_fetches_round(struct debug_fetches *fetches);
