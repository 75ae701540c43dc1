/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * options - parses the arguments that the command, or the service's unit, passes
 *
 * With --service there is no command: the collector is connected to, parser and exporter connect to
 * us (service.h), and paths stand for inherited descriptors.
 */

#include <stdbool.h>
#include <stdint.h>

#include "symbolizer/output/outputs.h"
#include "symbolizer/resource_options.h"

#define OPTIONS_OUTPUTS_MAX  16
#define OPTIONS_HZ_MAX       10000
#define OPTIONS_CPU_PPM_MAX  1000000
#define OPTIONS_EVERY_MS_MIN 100
#define OPTIONS_EVERY_MS_MAX 86400000 /* a day */
#define OPTIONS_MEMORY_MIN   (1ull << 20)
#define OPTIONS_MEMORY_MAX   (2ull << 30) /* half of what main allows as address space */

struct options_output {
	enum outputs_format format;
	int fd;
};

struct options {
	int control_fd;
	int wire_fd;
	int parser_fd;     /* the parser program, to be executed */
	int debuginfod_fd; /* the socket to tidemark-debuginfod; -1: none */
	int exporter_fd;   /* the socket to tidemark-exporter; -1: none */
	int spool_fd;      /* the socket to tidemark-spool; -1: none */
	uint64_t hz;
	unsigned cpu_max_ppm;  /* of the governor; 0: the rate is left alone */
	uint64_t memory_bytes; /* of everything; BUDGET_TOTAL_BYTES by default */
	bool ask_memory;       /* the collector says how much of that is left */
	uint64_t perf_map_mib; /* that are read of one; PARSER_PERF_MAP_MIB by default */
	int cache_fd;          /* the file that keeps unwind tables; -1: none */
	const char *boot_id;   /* required with cache_fd; "" without */
	const char *title;
	bool service;
	const char *connect; /* the collector's socket; with `service`, as the next ones */
	const char *parser;  /* path of the parser program, whose identity the cache depends on */
	const char *cache;   /* path; NULL: tables are not kept */
	uint64_t every_ms;   /* between two reports */
	bool exports;        /* an exporter is to connect: reports are handed to it */
	bool spools;         /* likewise a spool */
	bool off_cpu;        /* off-CPU samples are recorded: each report has that kind */
	struct resource_options resource;
	bool otlp_uncompressed; /* requests are not compressed */
	bool no_lines;          /* neither source lines nor inlined calls */
	bool runtime_internals; /* what runs a language runtime's functions is shown, too */
	bool debug_files;       /* separate debug files are asked for */
	enum report_lines folded_lines;
	bool no_demangle; /* names are shown as the symbol tables have them */
	struct options_output outputs[OPTIONS_OUTPUTS_MAX];
	int output_count;
};

/* Return: 0, -EINVAL (@ret_bad: the argument that is wrong, or what is missing). */
int options_parse(struct options *options, int argc, char *const argv[], const char **ret_bad);
