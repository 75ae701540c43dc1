/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * top_options - the command line of `tidemark top`
 *
 * Owns       nothing: every string points into argv.
 * Errors     OPTIONS_E_HELP, OPTIONS_E_USAGE with the sentence in the problem.
 */

#include "cli/options.h"
#include "cli/top_table.h"

#define TOP_OPTIONS_INTERVAL_NS 2000000000ull
#define TOP_OPTIONS_WINDOW_NS   10000000000ull

struct top_options {
	const char *spool;
	uint64_t interval_ns; /* between two pictures */
	uint64_t window_ns;
	enum top_by by;
	enum top_kind kind;
	enum top_time sort;
	bool once;
};

/* @argv: argv[0] is the word `top`. Return: 0, OPTIONS_E_HELP, OPTIONS_E_USAGE and one sentence in
 * @ret_problem (PROBLEM_BYTES). */
int top_options_parse(struct top_options *ret_options, int argc, char *const argv[],
		      char *ret_problem);
