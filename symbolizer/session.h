/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * session - the state of one recording, and the sums that its reports contained so far
 *
 * FLUSH asks for an intermediate report of the samples older than W. It ends the interval
 * (interval.h); processes and files stay until they are retired (processes.h, files.h).
 */

#include <stdbool.h>

#include "symbolizer/base/ksyms.h"
#include "symbolizer/base/parser_client.h"
#include "symbolizer/names/debuginfod_client.h"
#include "symbolizer/names/demangle.h"
#include "symbolizer/names/jitdumps.h"
#include "symbolizer/names/line_jobs.h"
#include "symbolizer/names/line_names.h"
#include "symbolizer/names/line_retire.h"
#include "symbolizer/names/perf_maps.h"
#include "symbolizer/names/symbol_jobs.h"
#include "symbolizer/options.h"
#include "symbolizer/output/report_delivery.h"
#include "symbolizer/profile/accounting.h"
#include "symbolizer/profile/collector_link.h"
#include "symbolizer/profile/governor.h"
#include "symbolizer/profile/interval.h"
#include "symbolizer/profile/reader.h"
#include "symbolizer/profile/thread_request.h"
#include "symbolizer/reporter.h"
#include "symbolizer/unwind/table_cache_thread.h"
#include "symbolizer/unwind/unwind_jobs.h"
#include "symbolizer/unwind/warm_start.h"

struct session_reported { /* sums of all reports so far */
	struct accounting accounting;
	struct tm_counts counts;
	struct tm_counts resumed; /* those that symbolizers before us have reported */
	uint64_t late;
	uint64_t until_ktime; /* the W at which the last one ended; 0: no W yet */
	bool any;
};

struct service; /* service.h */

struct session {
	const struct options *options; /* borrowed */
	struct service *service;       /* borrowed; NULL: there is a command */
	struct options_output
		outputs[OPTIONS_OUTPUTS_MAX]; /* of the next report; owned, fd -1: none */
	struct options_output flush_outputs[OPTIONS_OUTPUTS_MAX]; /* of flush_pending, likewise */
	struct session_reported reported;
	struct tm_counts counts; /* the last consistent copy */
	struct tm_retire_queue queue;
	struct budget_total memory;
	struct budget tables; /* processes and files */
	struct budget method_bytes;
	struct budget order;
	struct hash_seed seed;
	struct process_table processes;
	struct files files;
	struct methods methods;
	struct symbol_store store;
	struct symbol_jobs symbols;
	struct jit_files jit;
	struct perf_maps maps;
	struct debug_files debug;
	struct ksyms kernel;
	bool kernel_refused;              /* the table of kernel symbols is invalid */
	struct interval *interval;        /* owned: the open one; NULL: the last was ended */
	bool flush_pending;               /* the open one is to end once the reporter has room */
	struct report_settings *settings; /* one user of them: of the open interval, */
	struct report_settings *next_settings; /* and of the next one */
	struct reporter reporter;
	struct parser_requests requests; /* of the reporter's thread */
	struct demangle demangle;        /* likewise */
	struct line_requests line_requests;
	struct line_names lines; /* of the reporter's thread */
	struct line_jobs line_jobs;
	struct line_retire line_retire;
	bool finished; /* the last report was made, with this code */
	int code;
	struct governor governor;
	struct reader reader;
	struct collector_link link;
	struct threads threads; /* with --off-cpu, as the next one */
	struct thread_request thread_request;
	struct table_cache cache;
	struct table_cache_thread cache_thread;
	struct unwind_jobs jobs;
	struct warm_start warm;
	struct parser_client parser;
	struct debuginfod_client debuginfod;
	struct debug_fetches fetches;
	struct report_delivery delivery; /* of the reporter's thread */
};

/* Return: 0, -ENOMEM, -errno. */
int session_init(struct session *session, const struct options *options);
void session_deinit(struct session *session);
