/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * session - one recording: the state of the collector and its main loop
 *
 * Phases     ready (selects processes, samples nothing) -> running -> ended: rings drained, pending
 *            files sent, final counts to the command, END on the wire -> stays: opens files that
 *            the symbolizer wants again, until that shuts its end down, at most SESSION_STAY_MS.
 * Round      watermark, positions, drain, publish: once per poll, in this order (HACKING, The
 *            watermark).
 * Restart    with --restart the symbolizer may end, and come later: meanwhile the ring keeps what
 *            fits into it for the next one.
 * End        STOP, end of the command's socket, end of the symbolizer's unless a new one is to
 *            come, or a failure. The session ends in the same order each time.
 * Units      _ms: ms of CLOCK_MONOTONIC. Tokens: bytes.
 * Threads    one.
 */

#include <stdbool.h>
#include <stdint.h>

#include "collector/drain.h"
#include "collector/file_requests.h"
#include "collector/kallsyms_refresh.h"
#include "collector/loader.h"
#include "collector/off_cpu_rate.h"
#include "collector/opener_client.h"
#include "collector/reclaim.h"
#include "collector/symbolizer_link.h"
#include "collector/thread_reader.h"
#include "shared/control.h"
#include "shared/region.h"
#include "shared/ring_progress.h"

/* Between rounds, while rings, which have room for seconds (percpu.h), are nearly empty */
#define SESSION_POLL_MS         250
#define SESSION_POLL_OFF_CPU_MS 100 /* where they have room for one, and the choice is adapted */
#define SESSION_POLL_FULL_MS    10  /* while one is over a quarter full, or symbols are read */
#define SESSION_POLL_WOKEN_MS   5 /* at least, after a ring woke us: a file is to be opened soon */
#define SESSION_FAST_HZ         1000 /* from this rate on, SESSION_POLL_FAST_MS between rounds */
#define SESSION_POLL_FAST_MS    20
#define SESSION_QUARTER_PERCENT 25
#define SESSION_BUSY_TRIES      64    /* to drain a ring that an unfinished record blocks */
#define SESSION_COUNTS_MS       1000  /* between counts to the command */
#define SESSION_AHEAD_MS        1000  /* START waits so long for the tables of what was announced */
#define SESSION_SETTLE_MS       2000  /* at the end: for pending files */
#define SESSION_STAY_MS         15000 /* after END: for files that are wanted again */
#define SESSION_PART_MS         1000  /* the same where sampling goes on, and the rings fill */
#define SESSION_QUIET_MS        500   /* at the end: for the rings to be drained */
#define SESSION_RING_MIN        (1u << 20)
#define SESSION_RING_MAX        (64u << 20)
#define SESSION_REST_MIN        (16ull << 20) /* for tables and symbolizer together */
#define SESSION_TABLE_BYTES     (32u << 20)   /* of all unwind tables, without --memory-max */
#define SESSION_TABLE_PART      8             /* of these: a part of it is for tables */
#define SESSION_TOKENS_MAX      (8 << 20) /* token bucket of the symbolizer's messages: its size, */
#define SESSION_TOKENS_PER_MS   (80 << 10) /* what is refilled each millisecond, */
#define SESSION_MESSAGE_TOKENS \
	(16 << 10) /* and what a message costs besides the bytes of its table, */
#define SESSION_AGAIN_TOKENS (1 << 20) /* or besides that, for what the opener does */

enum session_end {
	SESSION_CONTINUES,
	SESSION_STOPPED, /* by the command */
	SESSION_COMMAND_GONE,
	SESSION_SYMBOLIZER_GONE,
	SESSION_FAILED, /* `failure` says why */
};

struct session {
	const struct options *options;
	struct tm_control_failure failure;
	int command;  /* socket */
	int reported; /* blob of the last symbolizer, for the next one; -1: none */
	struct symbolizer_link link;
	struct opener_client opener;
	struct loader loader;
	struct kallsyms symbols;
	struct kallsyms_refresh refresh;
	struct file_requests files;
	struct drain drain;
	struct reclaim reclaim;
	struct unwind_install tables;
	struct off_cpu_rate off_cpu;
	struct thread_reader threads;
	struct tm_region ring;
	struct tm_region reader;
	struct tm_ring_writer writer;
	uint64_t generation;      /* ours */
	uint64_t symbolizer_died; /* samples pushed to symbolizers that are gone */
	uint64_t violations;      /* of symbolizers that are gone */
	uint64_t attached;
	struct tm_counts counts;
	bool ring_waits;     /* no symbolizer has the ring yet */
	bool threads_asked;  /* an answer is due */
	bool table_unsent;   /* the new table of kernel symbols */
	bool refresh_missed; /* it failed, which the user knows */
	int64_t tokens;      /* left in the bucket; below 0: receive nothing from the symbolizer */
	uint64_t tokens_ms;
	bool running;
	uint64_t start_ms; /* START came, and may wait until then */
	bool woken;        /* by a ring */
	bool empty_sent;
	bool opener_missed;
	uint64_t opener_number; /* of the last OPENER */
	enum session_end end;
	uint64_t rounds;
	uint64_t counted_ms;
	uint64_t table_bytes;      /* of the memory, for unwind tables, */
	uint64_t symbolizer_bytes; /* and for the symbolizer; 0: it knows */
	uint64_t shared_index;     /* of the kept descriptor of the ring, */
	uint64_t reported_index;   /* and of `reported` */
	uint64_t progress;         /* sequence number of the last round that was noted */
	uint64_t cpu_before_ns;    /* of the collectors before */
	bool parting;              /* the last round: the next collector goes on behind it */
	uint64_t weighed_ns; /* until then weight_ns of the counts says which period there was */
};

/* Creates the shared ring, its reader page and what drains into it, and sends them and the kernel
 * symbols to the symbolizer. Return: 0, -ECANCELED. */
int session_connect(struct session *session);
/* Goes on where the last collector stopped (session_adopt.c), with the ring that it had. Does
 * nothing where nothing was handed over. Return: 0, -ECANCELED. */
int session_adopt(struct session *session);
/* Where it cannot go on: what the events would have owed since then is owed, and was not run. */
void session_count_gap(struct session *session);
/* Notes what is handed over once the round is published. */
void session_note_progress(struct session *session);
/* Has all kept that the next collector needs. */
void session_keep(struct session *session);
/* Samples a CPU that came online. @fd: its perf event; taken. */
void session_add_cpu(struct session *session, uint64_t cpu, int fd);
/* Connects to a new symbolizer after the last one died. @fd: the wire to it; taken.
 * Return: 0, -ECANCELED. */
int session_attach(struct session *session, int fd);
/* The symbolizer is gone: what it was handed is lost with it, unless it said that it was reported;
 * a new ring keeps what comes for the next one. Return: 0, -ECANCELED. */
int session_detach(struct session *session);
/* Runs the main loop until the session ends. */
void session_run(struct session *session);
/* Ends the session in order and reports that to whoever is left. */
void session_finish(struct session *session);
void session_deinit(struct session *session);

/* Whether there may have been samples. */
static inline bool session_has_begun(const struct session *session)
{
	return session->running || session->loader.kept->adopted ||
	       session->end != SESSION_CONTINUES;
}

/* Sends a new table of kernel symbols, if there is one. Return: whether none is left to be sent. */
bool session_send_symbols(struct session *session);

/* Answers ASK_THREADS (session_threads.c): begins to read, and goes on until it is sent. */
void session_ask_threads(struct session *session);
/* Return: whether no answer is due. */
bool session_send_threads(struct session *session);

/* Adds the time until now to that of the present period (round.c), before it is changed. */
void session_weigh(struct session *session);
/* Counts for the next publish (round.c). */
void session_count(struct session *session);
/* One round (round.c). Return: the W that was published. */
uint64_t session_round(struct session *session);
