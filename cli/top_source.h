/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * top_source - has tidemark-viewer add up the newest reports of the spool, again and again
 *
 * Shape      one viewer for each table, in steps: start; wait for the child and serve, until it has
 *            ended; finish. What the last whole table says stays until the next one is read.
 * Window     the last reports until now; where they are older than that, the newest ones.
 * Trust      as view_child; the table is written into a file that cannot grow.
 */

#include "cli/top_options.h"
#include "cli/view_child.h"

struct top_source {
	const struct top_options *options; /* borrowed */
	struct view_options view;
	struct view_inputs inputs;
	struct view_child viewer;
	int program, file;
	bool running;
	bool is_older; /* the window that is read ends with the newest report */
	struct top_table table;
	struct tm_view_result result;
};

/* Return: 0, or an exit code, after printing why. */
int top_source_open(struct top_source *source, const struct top_options *options);
/* Total; ends a viewer that runs. */
void top_source_close(struct top_source *source);
/* Return: 0, or an exit code, after printing why. */
int top_source_start(struct top_source *source, uint64_t now_unix_ns);
/* Whatever the viewer has to say. Return: whether it has ended. */
bool top_source_serve(struct top_source *source);
/* Reads the table; starts once more where there are older reports only, and is then still running.
 * Return: 0, or an exit code, after printing why. */
int top_source_finish(struct top_source *source);
