/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * options - what the command handed over, by number
 */

#include <stdint.h>

#define OPTIONS_OUTPUTS_MAX 16

enum options_format {
	OPTIONS_HTML,
	OPTIONS_PPROF,
	OPTIONS_FOLDED,
	OPTIONS_SPEEDSCOPE,
	OPTIONS_FORMAT_N,
};

struct options_output {
	enum options_format format;
	int fd;
};

struct options {
	int control_fd;
	int wire_fd;
	int parser_fd; /* the program to execute */
	uint64_t hz;
	uint64_t profile_bytes; /* BUDGET_PROFILE_BYTES unless the command says another */
	int cache_fd;           /* -1: none */
	const char *boot_id;    /* goes with it */
	const char *title;
	struct options_output outputs[OPTIONS_OUTPUTS_MAX];
	int output_count;
};

/* Return: 0, -EINVAL (with the argument at fault in @ret_bad). */
int options_parse(struct options *options, int argc, char *const argv[], const char **ret_bad);
