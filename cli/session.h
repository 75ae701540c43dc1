/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * session - state of one recording, and the steps between its phases
 *
 * Phases     LOADING (until the collector sends STARTED), RECORDING, FINISHING (STOP is sent; the
 *            programs drain, name and write), OVER. A program that dies in LOADING ends it; later
 *            the other one goes on to its orderly end.
 * Layers     below: starter_client, child, workload, hotplug, intervals, opener, parser_restart,
 *            symbolizer_child,
 *            exporter, spool. Above, and never called from here: report, restart, control,
 *            event_loop.
 */

#include <stdbool.h>
#include <stdint.h>

#include "cli/accounting.h"
#include "cli/child.h"
#include "cli/exporter.h"
#include "cli/hotplug.h"
#include "cli/intervals.h"
#include "cli/opener.h"
#include "cli/options.h"
#include "cli/parser_restart.h"
#include "cli/spool.h"
#include "cli/starter_client.h"
#include "cli/workload.h"

#define SESSION_COLLECTOR_MS  30000  /* from STOP to DONE; then it is killed */
#define SESSION_SYMBOLIZER_MS 300000 /* from the collector's end to DONE */
#define SESSION_EXPORTER_MS   10000  /* from the end to that of the exporter, which sends */
#define SESSION_OPENER_MS     1000   /* from the collector's end to that of the opener */
#define SESSION_SPOOL_MS      5000   /* likewise of the spool, which writes */
#define SESSION_EXIT_MS       5000   /* from DONE, or a closed socket, to the end of the process */
#define SESSION_RESTARTS_MAX  5u     /* of the symbolizer, with --restart */

enum session_phase {
	SESSION_LOADING,
	SESSION_RECORDING,
	SESSION_FINISHING,
	SESSION_OVER,
};

struct session {
	const struct options *options;
	struct starter_client *starter; /* borrowed; NULL: no program can be started again */
	struct child collector;
	struct opener opener; /* of the collector */
	struct child symbolizer;
	struct parser_restart parser;       /* those after the symbolizer's own */
	struct symbolizer_child debuginfod; /* of the symbolizer */
	struct exporter exporter;           /* of all symbolizers */
	struct spool spool;                 /* likewise */
	struct workload workload;
	struct hotplug hotplug;
	struct intervals intervals;
	int signals; /* borrowed descriptor */
	int timer;   /* of -d; -1: none */
	enum session_phase phase;
	int exit_code;           /* of the first failure, which is printed; 0: none */
	bool start_requested;    /* START was sent */
	bool restart_pending;    /* the symbolizer died and another is to follow */
	unsigned restarts;       /* of the symbolizer */
	uint64_t dead_cpu_ns;    /* of symbolizers that died before */
	uint64_t dead_rss_bytes; /* the largest of theirs */
	unsigned interrupts;
	bool aborted;                            /* nothing is to be written */
	uint64_t begun_ns, started_ns, ended_ns; /* CLOCK_MONOTONIC; 0: not yet */
	uint64_t idle_ended_ns;                  /* idle time of the host since boot, at the end */
	uint64_t deadline_ns;                    /* 0: none */
	enum accounting_death death;
	unsigned counts_after_workload;  /* messages, since COMMAND ended */
	bool cause_printed;              /* which program failed, and why */
	char peer_text[TM_CONTROL_TEXT]; /* what one program sent about the other; printed if not */
	/* What the programs sent; the symbolizer: of the report in the making. */
	struct tm_counts counts;
	struct tm_counts last_counts; /* as the symbolizer read them from the ring for its report */
	bool has_last_counts;
	struct tm_result result;
	size_t top_count;
	struct tm_top top[TM_TOP_ROWS];
	struct outputs_results output_results;
};

/* Nothing is running yet. */
void session_init(struct session *session, const struct options *options, int signals);
/* Kills and waits for whatever still runs. Total. */
void session_deinit(struct session *session);

/* The collector is attached: time runs. */
void session_started(struct session *session);
/* Moves to the next phase where the last events allow it. */
void session_advance(struct session *session);
/* Ends sampling, once. */
void session_stop(struct session *session);
/* Forgets what the symbolizer sent of a report that is stored, or lost. */
void session_forget_report(struct session *session);
/* Whether a new symbolizer follows if @program dies now. */
bool session_may_restart(const struct session *session, const struct child *program);
/* A program sends nothing more and did not finish. @exit_code: of the whole. */
void session_lose(struct session *session, struct child *program, int exit_code);
/* Ends at once, with nothing written. */
void session_abort(struct session *session, int exit_code);
