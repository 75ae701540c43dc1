/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * view_options - the command lines of `tidemark view` and `tidemark diff`
 *
 * Owns       nothing: every string points into argv.
 * Errors     OPTIONS_E_HELP, OPTIONS_E_USAGE with the sentence in the problem.
 */

#include "cli/options.h"
#include "cli/view_time.h"

#define VIEW_OPTIONS_SPOOL      "/var/lib/tidemark/spool"
#define VIEW_OPTIONS_FILES_MAX  1024u /* of a side */
#define VIEW_OPTIONS_VALUES_MAX 64u
#define VIEW_OPTIONS_SIDES      2
#define VIEW_OPTIONS_MIB        1024u
#define VIEW_OPTIONS_MIB_MAX    3072u

struct view_options_values {
	const char *items[VIEW_OPTIONS_VALUES_MAX];
	size_t count;
};

struct view_options_side { /* what is shown, or what that is compared with */
	bool is_window;    /* of the spool; else files */
	uint64_t from_unix_ns, to_unix_ns;
	const char *text; /* as it was written; of a window of `view` NULL */
	const char *files[VIEW_OPTIONS_FILES_MAX];
	size_t file_count;
};

struct view_options {
	bool compare;
	const char *spool;
	const char *since, *from, *to; /* as they were written; or NULL */
	unsigned memory_mib;
	uint64_t recent_ns; /* segments that were written to so long before the last; 0: all */
	struct view_options_values comms, pids, containers, units;
	struct view_options_side sides[VIEW_OPTIONS_SIDES]; /* of `diff`: B, then A */
	struct options outputs; /* of record's: verbose and the outputs alone are set */
};

/*
 * @argv: argv[0] is the word `view` or `diff`. Return: 0, OPTIONS_E_HELP, OPTIONS_E_USAGE and one
 * sentence in @ret_problem (PROBLEM_BYTES).
 */
int view_options_parse(struct view_options *ret_options, int argc, char *const argv[],
		       uint64_t now_unix_ns, char *ret_problem);
