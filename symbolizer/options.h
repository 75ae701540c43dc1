/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * options - parses the arguments that the command passes, among them inherited descriptors
 */

#include <stdbool.h>
#include <stdint.h>

#include "symbolizer/output/outputs.h"

#define OPTIONS_OUTPUTS_MAX 16

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
	uint64_t hz;
	uint64_t memory_bytes; /* of everything; BUDGET_TOTAL_BYTES by default */
	uint64_t perf_map_mib; /* that are read of one; PARSER_PERF_MAP_MIB by default */
	int cache_fd;          /* the file that keeps unwind tables; -1: none */
	const char *boot_id;   /* required with cache_fd; "" without */
	const char *title;
	bool off_cpu;           /* off-CPU samples are recorded: each report has that kind */
	bool otlp_uncompressed; /* requests are not compressed */
	bool no_lines;          /* neither source lines nor inlined calls */
	bool debug_files;       /* separate debug files are asked for */
	bool no_demangle;       /* names are shown as the symbol tables have them */
	struct options_output outputs[OPTIONS_OUTPUTS_MAX];
	int output_count;
};

/* Return: 0, -EINVAL (@ret_bad: the argument that is wrong, or what is missing). */
int options_parse(struct options *options, int argc, char *const argv[], const char **ret_bad);
