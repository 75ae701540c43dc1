/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * session - one recording from "both programs run" to "both have finished", phase by phase
 *
 * Phases     LOADING (until the collector says STARTED), RECORDING, FINISHING (STOP is said; drain,
 *            name, write), OVER. A program that dies in LOADING ends it; later the other one goes
 *            on to its orderly end.
 */

#include <stdint.h>

#include "cli/balance.h"
#include "cli/child.h"
#include "cli/hotplug.h"
#include "cli/intervals.h"
#include "cli/options.h"
#include "cli/workload.h"

#define SESSION_NS_PER_MS     1000000ull
#define SESSION_COLLECTOR_MS  30000  /* from STOP to DONE; then it is killed */
#define SESSION_SYMBOLIZER_MS 300000 /* from the collector's end to DONE */
#define SESSION_EXIT_MS       5000   /* from DONE, or a closed socket, to the end of the process */

enum session_phase {
	SESSION_LOADING,
	SESSION_RECORDING,
	SESSION_FINISHING,
	SESSION_OVER,
};

struct start;

struct session {
	const struct options *options;
	const struct start *start; /* borrowed: how the programs were started; NULL: not again */
	struct child collector;
	struct child symbolizer;
	struct workload command;
	struct hotplug hotplug;
	struct intervals series;
	int signals; /* borrowed descriptor */
	int timer;
	enum session_phase phase;
	int outcome;                          /* the first failure, said already; 0: none */
	int asked;                            /* START was said */
	int reviving;                         /* the symbolizer died and another is to follow */
	unsigned restarts;                    /* of the symbolizer */
	uint64_t dead_cpu_ns, dead_rss_bytes; /* of symbolizers that died before */
	int interrupts;
	int bpf_time; /* descriptor while the kernel times BPF programs; -1: it does not */
	int given_up; /* nothing is to be written */
	uint64_t begun_ns, started_ns, ended_ns; /* CLOCK_MONOTONIC; 0: not yet */
	uint64_t idle_ended_ns;                  /* idle time of the host since boot, at the end */
	uint64_t deadline_ns;                    /* 0: none */
	enum balance_death death;
	unsigned counts_after_command;
	int told;                        /* who died was said */
	char peer_text[TM_CONTROL_TEXT]; /* else one program's word about the other is */
	/* what the programs told; from the symbolizer: of the report in the making */
	struct tm_counts counts;
	struct tm_counts
		last_counts; /* as the symbolizer read them from the shared ring at its report */
	int last_counts_told;
	struct tm_collector_cost cost;
	struct tm_result result;
	int flushed; /* that was all of a report in between */
	size_t top_count;
	struct tm_top top[TM_TOP_ROWS];
	uint32_t outputs_told; /* bit per output */
	int output_codes[OPTIONS_OUTPUTS_MAX];
};

/* Nothing is running yet. */
void session_init(struct session *session, const struct options *options, int signals);
/* Kills and waits for whatever still runs. Total. */
void session_deinit(struct session *session);

/* --- steps between phases, for cli/event_loop.c and cli/control.c -------------------------------------- */

uint64_t session_now_ns(void);
/* The collector is attached: time runs. */
void session_started(struct session *session);
/* Moves on where what was heard allows it. */
void session_advance(struct session *session);
/* Ends sampling, once. */
void session_stop(struct session *session);
/* Has the symbolizer said all there is to the report in the making? */
int session_has_reported(const struct session *session);
/* What it said of a report that is stored. */
void session_forget_report(struct session *session);
/* A program will say nothing more and did not finish. @outcome: of the whole. */
void session_lose(struct session *session, struct child *program, int outcome);
/* Ends at once, with nothing written. */
void session_give_up(struct session *session, int outcome);
