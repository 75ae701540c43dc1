/* SPDX-License-Identifier: Apache-2.0 */
/* top_layout - the lines of `tidemark top` */

#include "cli/top_layout.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal.h"

#define KEYS \
	"q quit  f/p/c function, process, container  o on/off-CPU  s/t by self, total  space pause"

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* Cuts @text behind so many characters. */
static void cut(char *text, unsigned columns)
{
	unsigned shown = 0;

	if (columns == 0)
		return;
	for (char *at = text; *at; at++) {
		if (((unsigned char)*at & 0xc0) == 0x80)
			continue;
		if (shown++ == columns) {
			*at = '\0';
			return;
		}
	}
}

__attribute__((format(printf, 3, 4))) static void add(struct top_layout *layout,
						      const struct top_layout_view *view,
						      const char *format, ...)
{
	va_list arguments;
	char *line;

	if (layout->count == TOP_LAYOUT_LINES || (view->lines && layout->count >= view->lines))
		return;
	line = layout->lines[layout->count++];
	va_start(arguments, format);
	(void)vsnprintf(line, TOP_LAYOUT_LINE_BYTES, format, arguments);
	va_end(arguments);
	terminal_clean(line, TOP_LAYOUT_LINE_BYTES);
	cut(line, view->columns);
}

/* --- the header ------------------------------------------------------------------------------- */

static void add_reports(struct top_layout *layout, const struct top_layout_view *view,
			const struct tm_view_side *side)
{
	uint64_t end = side->available_end, now = view->now_unix_ns;

	if (end == 0)
		add(layout, view, "tidemark top: %s, no report yet", view->host);
	else
		add(layout, view,
		    "tidemark top: %s, %" PRIu64 " reports of %.1f s, the newest %.1f s old",
		    view->host, side->reports, seconds(side->covered_ns),
		    seconds(now > end ? now - end : 0));
}

static void add_sum(struct top_layout *layout, const struct top_layout_view *view,
		    const struct top_sum *sum)
{
	add(layout, view, "%s: %" PRIu64 " samples for %.1f s, %" PRIu64 " dropped; by %s, %s%s",
	    view->kind == TOP_ON_CPU ? "on-CPU" : "off-CPU", sum->exported, seconds(sum->ns),
	    sum->dropped, top_table_by(view->by), view->sort == TOP_SELF ? "self" : "total",
	    view->paused ? "; paused" : "");
}

/* What is not shown, or nothing. */
static void add_missing(struct top_layout *layout, const struct top_layout_view *view,
			const struct top_sum *sum, const struct tm_view_result *result)
{
	if (!sum->recorded && result->sides[0].reports)
		add(layout, view, "the reports have no %s times%s",
		    view->kind == TOP_ON_CPU ? "on-CPU" : "off-CPU",
		    view->kind == TOP_OFF_CPU ? ": they are recorded with --off-cpu" : "");
	else if (result->sides[0].missing || result->damaged)
		add(layout, view,
		    "missing: %" PRIu64 " samples that the reports count, %" PRIu64
		    " damaged parts",
		    result->sides[0].missing, result->damaged);
	else
		add(layout, view, "%s", "");
}

/* --- the rows --------------------------------------------------------------------------------- */

struct place {
	const struct top_row *row;
	uint64_t first, second; /* what is sorted by */
};

static int compare(const void *a, const void *b)
{
	const struct place *left = a, *right = b;

	if (left->first != right->first)
		return left->first < right->first ? 1 : -1;
	if (left->second != right->second)
		return left->second < right->second ? 1 : -1;
	return strcmp(left->row->name, right->row->name);
}

static size_t choose(const struct top_table *table, const struct top_layout_view *view,
		     struct place places[TM_VIEW_TABLE_ROWS])
{
	size_t count = 0;

	for (size_t i = 0; i < table->row_count; i++) {
		const struct top_row *row = &table->rows[i];
		const uint64_t *ns = row->ns[view->kind];

		if (row->by == view->by && (ns[TOP_SELF] || ns[TOP_TOTAL]))
			places[count++] = (struct place){row, ns[view->sort],
							 ns[TOP_TIMES_N - 1 - view->sort]};
	}
	qsort(places, count, sizeof(places[0]), compare);
	return count;
}

static void add_row(struct top_layout *layout, const struct top_layout_view *view,
		    const struct top_row *row, uint64_t whole)
{
	const uint64_t *ns = row->ns[view->kind];
	const char *name = row->name;

	if (!*name)
		name = row->by == TOP_BY_CONTAINER ? "(no container)" : "(no name)";
	add(layout, view, "%6.1f %9.3f %6.1f %9.3f  %s%s%s%s", percent(ns[TOP_SELF], whole),
	    seconds(ns[TOP_SELF]), percent(ns[TOP_TOTAL], whole), seconds(ns[TOP_TOTAL]), name,
	    *row->detail ? "  [" : "", row->detail, *row->detail ? "]" : "");
}

static void add_rows(struct top_layout *layout, const struct top_layout_view *view,
		     const struct top_table *table)
{
	static const char *const names[TOP_BY_N] = {"FUNCTION", "PROCESS", "CONTAINER"};
	static struct place places[TM_VIEW_TABLE_ROWS]; /* large */
	size_t count = choose(table, view, places);

	layout->heading = layout->count;
	add(layout, view, "%6s %9s %6s %9s  %s", "SELF%", "SELF s", "TOTAL%", "TOTAL s",
	    names[view->by]);
	for (size_t i = 0; i < count; i++)
		add_row(layout, view, places[i].row, table->sums[view->kind].ns);
}

void top_layout_make(struct top_layout *ret_layout, const struct top_layout_view *view,
		     const struct top_table *table, const struct tm_view_result *result)
{
	const struct top_sum *sum = &table->sums[view->kind];
	struct top_layout_view above = *view;

	if (view->with_keys && view->lines > 1)
		above.lines = view->lines - 1;
	ret_layout->count = 0;
	add_reports(ret_layout, &above, &result->sides[0]);
	add_sum(ret_layout, &above, sum);
	add_missing(ret_layout, &above, sum, result);
	add_rows(ret_layout, &above, table);
	if (!view->with_keys || view->lines <= 1)
		return;
	while (ret_layout->count < above.lines && ret_layout->count < TOP_LAYOUT_LINES - 1)
		add(ret_layout, &above, "%s", "");
	add(ret_layout, view, "%s", KEYS);
}
