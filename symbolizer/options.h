/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * options - what the command handed over, by number
 */

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
