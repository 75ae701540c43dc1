/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * session - one recording: all parts of the collector and the one loop that drives them
 *
 * Phases     READY (marks processes, samples nothing) -> RUNNING -> over: drained, files settled,
 *            END on the wire, final counts to the command.
 * Round      watermark, note, drain, publish: once per poll, in this order (DESIGN 4.3).
 * Ends       STOP; end of the command's socket; end of the symbolizer's, unless a new one is to come. In
 *            order every time.
 */

#include <stdbool.h>
#include <stdint.h>

#include "collector/drain.h"
#include "collector/file_requests.h"
#include "collector/histogram.h"
#include "collector/loader.h"
#include "collector/opener_client.h"
#include "collector/reclaim.h"
#include "collector/symbolizer_link.h"
#include "shared/control.h"
#include "shared/region.h"

#define SESSION_POLL_MS         100 /* between rounds, while rings are nearly empty */
#define SESSION_POLL_FULL_MS    10  /* while one is over a quarter full */
#define SESSION_POLL_WOKEN_MS   5   /* at least, when a ring wakes us: a file must be opened soon */
#define SESSION_FAST_HZ         1000 /* from here on rounds are never farther apart than _FAST_MS */
#define SESSION_POLL_FAST_MS    20
#define SESSION_QUARTER_PERCENT 25
#define SESSION_BUSY_TRIES      64   /* of a ring that a record being written stops */
#define SESSION_COUNTS_MS       250  /* between counts to the command */
#define SESSION_MEASURE         4    /* every so many counts, what costs more is read as well */
#define SESSION_SETTLE_MS       2000 /* at the end: for files under way */
#define SESSION_QUIET_MS        500  /* at the end: for rings to run dry */
#define SESSION_RING_MIN        (1u << 20)
#define SESSION_RING_MAX        (64u << 20)
#define SESSION_TOKENS_MAX      (8 << 20)  /* bytes of rows copied and checked at once, */
#define SESSION_TOKENS_PER_MS   (80 << 10) /* and what comes back each millisecond */
#define SESSION_MESSAGE_TOKENS  (16 << 10) /* any message counts as so many more */

enum session_end {
	SESSION_GOES_ON,
	SESSION_STOPPED, /* the command said so */
	SESSION_COMMAND_GONE,
	SESSION_SYMBOLIZER_GONE,
	SESSION_FAILED, /* failure says why */
};

struct session {
	const struct options *options;
	struct tm_control_failure failure;
	int command; /* socket */
	struct symbolizer_link link;
	struct opener_client opener;
	struct loader loader;
	struct kallsyms symbols;
	struct file_requests files;
	struct drain drain;
	struct reclaim reclaim;
	struct unwind_install tables;
	struct histogram lag;
	struct tm_region ring;
	struct tm_region reader;
	struct tm_ring_writer writer;
	uint64_t generation;      /* ours */
	uint64_t symbolizer_died; /* samples pushed to symbolizers that are gone */
	uint64_t violations;      /* of these */
	uint64_t attached;
	struct tm_counts counts;
	struct tm_collector_cost cost;
	int kernel_table; /* descriptor, until handed over for good */
	int64_t tokens;   /* bytes that may be heard of the symbolizer before the next round */
	uint64_t tokens_ms;
	bool running;
	bool woken;   /* by a ring */
	bool emptied; /* EMPTY was said */
	bool opener_missed;
	enum session_end end;
	uint64_t rounds;
	uint64_t reports; /* counts told to the command */
	uint64_t counted_ms;
};

/* Makes the shared ring, its reader page and what carries records into it; hands these and the kernel
 * table to the symbolizer. Return: 0, -errno. */
int session_connect(struct session *session);
/* A CPU that came online. @fd: its event; taken. */
void session_add_cpu(struct session *session, uint64_t cpu, int fd);
/* A new symbolizer in place of one that is gone. @fd: the wire to it; taken. Return: 0, -errno. */
int session_attach(struct session *session, int fd);
/* Drives it until it is over. */
void session_run(struct session *session);
/* Ends it in order and says so to whoever is left. */
void session_finish(struct session *session);
void session_deinit(struct session *session);

/* Does what has come from the command so far (command.c); it started us and is trusted. */
void session_receive_commands(struct session *session);
/* One round (round.c). Return: the W that was published. */
uint64_t session_round(struct session *session);
