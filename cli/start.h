/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * start - starts the collector and the symbolizer with the descriptors of shared/control.h
 */

#include "cli/perf_events.h"
#include "cli/program_paths.h"
#include "cli/session.h"
#include "cli/uid_pool.h"

#define START_TITLE_BYTES 200
/*
 * Of --memory-max, for the programs themselves: text, heap, stacks and libraries of command,
 * collector, opener, symbolizer and parser (measured by tests/bench/memory.py: 8 MiB), of each
 * program with libcurl, and for the states of threads, which the kernel keeps.
 */
#define START_PROCESS_BYTES (12ull << 20)
#define START_CURL_BYTES    (10ull << 20)
#define START_OFF_CPU_BYTES (4ull << 20)
#define START_QUEUE_PART    8             /* of --memory-max, for what the exporter has to send, */
#define START_QUEUE_MAX     (64ull << 20) /* at most */
#define START_SEND_SECONDS  5 /* a program that does not read for so long is not waited for */

struct start {
	const struct options *options;
	const struct uid_pool *accounts;
	const struct perf_events *perf;
	const int *programs; /* PROGRAM_PATHS_N descriptors */
	const struct exporter_files *exporter_files;
	int spool_folder;    /* descriptor; -1: none */
	int cache;           /* descriptor; -1: none */
	const char *boot_id; /* goes with it */
};

/* Return: 0, or an exit code, after printing why; what was started is in @session either way. */
int start_programs(const struct start *start, struct session *session);
/* One more symbolizer, for the collector that runs. Return: as above. */
int start_symbolizer_again(const struct start *start, struct session *session);
/* What of --memory-max is set aside for the programs themselves. */
uint64_t start_process_bytes(const struct options *options);
/* "HOST: tidemark record ..." for the page. */
void start_title(const struct options *options, char ret_title[START_TITLE_BYTES]);
