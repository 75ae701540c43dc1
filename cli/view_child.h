/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * view_child - runs tidemark-viewer until it has written the outputs, and keeps what it says
 *
 * Account    root starts it under an unused uid; anyone else as themselves. Either way it has no
 *            capability, and a filter.
 */

#include "cli/child.h"
#include "cli/outputs.h"
#include "cli/uid_pool.h"
#include "cli/view_inputs.h"
#include "shared/result.h"
#include "shared/view_result.h"

struct view_child {
	const struct view_options *options; /* borrowed */
	const struct view_inputs *inputs;   /* borrowed */
	const struct outputs *outputs;      /* borrowed; NULL: none */
	int table;                          /* borrowed: shared/view_table.h; -1: none */
	struct uid_pool_account account;
	struct child child;
	struct outputs_results results;
	struct tm_view_result result;
	struct tm_top top[TM_TOP_ROWS];
	size_t top_count;
	bool has_result;
};

/* @program: descriptor of tidemark-viewer. Return: 0: it finished; or an exit code, after printing
 * why. */
int view_child_run(struct view_child *viewer, int program, const char *title);

/*
 * The same in steps, for a caller that waits for other things, too: while child.ended is false,
 * wait for its control, errors and pidfd, and call view_child_serve. view_child_finish follows
 * either way, returns as view_child_run does, and kills one that has not ended.
 */
int view_child_start(struct view_child *viewer, int program, const char *title);
void view_child_serve(struct view_child *viewer);
int view_child_finish(struct view_child *viewer);
