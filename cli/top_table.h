/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * top_table - reads the table that tidemark-viewer wrote (shared/view_table.h)
 *
 * Trust      the viewer may be compromised: a table that is not whole and of that shape is refused;
 *            names are cleaned for a terminal.
 * Errors     TOP_TABLE_E_MALFORMED.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/view_table.h"

enum {
	TOP_TABLE_E_MALFORMED = 1,
};

enum top_kind {
	TOP_ON_CPU,
	TOP_OFF_CPU,
	TOP_KINDS_N,
};

enum top_by {
	TOP_BY_FUNCTION,
	TOP_BY_PROCESS,
	TOP_BY_CONTAINER,
	TOP_BY_N,
};

enum top_time {
	TOP_SELF,
	TOP_TOTAL,
	TOP_TIMES_N,
};

struct top_sum {
	bool recorded;
	uint64_t taken, exported, dropped; /* samples */
	uint64_t ns;
};

struct top_row {
	enum top_by by;
	uint64_t ns[TOP_KINDS_N][TOP_TIMES_N];
	char name[TM_VIEW_TABLE_NAME_BYTES];
	char detail[TM_VIEW_TABLE_NAME_BYTES];
};

struct top_table {
	struct top_sum sums[TOP_KINDS_N];
	struct top_row rows[TM_VIEW_TABLE_ROWS];
	size_t row_count;
};

/* The word of shared/view_table.h, which is also that of --by. */
const char *top_table_by(enum top_by by);
/* @text: @bytes of it, changed. Return: 0, TOP_TABLE_E_MALFORMED (nothing in the table then). */
int top_table_parse(struct top_table *ret_table, char *text, size_t bytes);
