/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * session - one recording, from the first record to the last output
 *
 * With FLUSH a report is made in between, of what is older than W; then strings, stacks, samples and
 * names go, and processes and files stay until they are retired (processes.h, files.h).
 */

#include "symbolizer/base/parser_client.h"
#include "symbolizer/options.h"
#include "symbolizer/profile/accounting.h"
#include "symbolizer/profile/collector_link.h"
#include "symbolizer/profile/reader.h"
#include "symbolizer/unwind/unwind_jobs.h"

#define SESSION_ROUND_MS      250  /* between looks into the ring, which holds seconds */
#define SESSION_FAST_HZ       1000 /* from here on it fills sooner */
#define SESSION_ROUND_FAST_MS 20

struct session_reported { /* sums over the reports so far */
	struct accounting balance;
	struct tm_counts counts;
	uint64_t late;
	uint64_t until_ktime; /* where the last one ended; 0: before any W */
	int any;
};

struct session {
	const struct options *options; /* borrowed */
	struct options_output
		outputs[OPTIONS_OUTPUTS_MAX]; /* of the next report; owned, fd -1: none */
	struct session_reported reported;
	struct tm_counts counts; /* the last whole set that was read */
	struct tm_retire_queue queue;
	struct budget budget;
	struct hash_seed seed;
	struct strings strings;
	struct process_table processes;
	struct files files;
	struct ksyms kernel;
	struct aggregate aggregate;
	struct reader feed;
	struct collector_link peer;
	struct table_cache cache;
	struct unwind_jobs jobs;
	struct parser_client parser;
	uint64_t unnamed_files; /* could not be parsed for names, before the next report */
};

enum {
	SESSION_E_ABANDONED = 1, /* the command went away: nothing is to be written */
};

/* Return: 0, -ENOMEM, -errno. */
int session_init(struct session *session, const struct options *options);
void session_deinit(struct session *session);
/* Reads until the collector's END or death; reports in between. Return: 0, SESSION_E_ABANDONED. */
int session_record(struct session *session);
