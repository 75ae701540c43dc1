/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * top_layout - the lines of `tidemark top`: plain text, cut to a width and a number of lines
 */

#include "cli/top_table.h"
#include "shared/view_result.h"

#define TOP_LAYOUT_LINES      512u
#define TOP_LAYOUT_LINE_BYTES 512u

struct top_layout_view { /* what is shown, and where */
	const char *host;
	enum top_by by;
	enum top_kind kind;
	enum top_time sort;
	bool paused;
	bool with_keys;          /* the last line says which keys there are */
	unsigned columns, lines; /* 0: not cut */
	uint64_t now_unix_ns;
};

struct top_layout {
	char lines[TOP_LAYOUT_LINES][TOP_LAYOUT_LINE_BYTES];
	unsigned count;
	unsigned heading; /* the line above the rows; the count where it does not fit */
};

void top_layout_make(struct top_layout *ret_layout, const struct top_layout_view *view,
		     const struct top_table *table, const struct tm_view_result *result);
