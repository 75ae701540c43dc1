/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * session - one recording, from the first record to the last output
 */

#include "symbolizer/child.h"
#include "symbolizer/feed.h"
#include "symbolizer/options.h"
#include "symbolizer/peer.h"

#define SESSION_ROUND_MS      250  /* between looks into the ring, which holds seconds */
#define SESSION_FAST_HZ       1000 /* from here on it fills sooner */
#define SESSION_ROUND_FAST_MS 20

struct session {
	const struct options *options; /* borrowed */
	struct budget budget;
	struct hash_seed seed;
	struct strings strings;
	struct process_table processes;
	struct files files;
	struct kernel kernel;
	struct aggregate aggregate;
	struct feed feed;
	struct peer peer;
	struct child parser;
};

enum {
	SESSION_E_ABANDONED = 1, /* the command went away: nothing is to be written */
};

/* Return: 0, -ENOMEM, -errno. */
int session_init(struct session *session, const struct options *options);
void session_deinit(struct session *session);
/* Whether the command has gone. */
int session_is_abandoned(const struct session *session);
/* Reads until the collector's END or death. Return: 0, SESSION_E_ABANDONED. */
int session_record(struct session *session);
