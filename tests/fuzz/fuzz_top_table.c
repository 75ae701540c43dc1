/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_top_table - a hostile table of the viewer, and what is drawn of it
 */

#include <stdlib.h>
#include <string.h>

#include "cli/top_layout.h"
#include "tests/fuzz/fuzz.h"

static void check_text(const char *text, size_t bytes)
{
	if (!memchr(text, '\0', bytes))
		abort();
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			abort();
}

static void check_layout(const struct top_table *table, unsigned lines)
{
	static const struct tm_view_result result = {.sides[0] = {.reports = 1}};
	static struct top_layout layout;

	for (unsigned i = 0; i < TOP_BY_N * TOP_KINDS_N * TOP_TIMES_N; i++) {
		const struct top_layout_view view = {
			.host = "h",
			.by = (enum top_by)(i % TOP_BY_N),
			.kind = (enum top_kind)(i / TOP_BY_N % TOP_KINDS_N),
			.sort = (enum top_time)(i / TOP_BY_N / TOP_KINDS_N),
			.with_keys = true,
			.lines = lines,
			.columns = lines,
		};

		top_layout_make(&layout, &view, table, &result);
		if (layout.count > TOP_LAYOUT_LINES || (lines && layout.count > lines))
			abort();
		for (unsigned line = 0; line < layout.count; line++)
			check_text(layout.lines[line], TOP_LAYOUT_LINE_BYTES);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static struct top_table table;
	char *text = malloc(bytes + 1);

	if (!text)
		abort();
	memcpy(text, data, bytes);
	if (top_table_parse(&table, text, bytes) && table.row_count)
		abort();
	free(text);
	if (table.row_count > TM_VIEW_TABLE_ROWS)
		abort();
	for (size_t i = 0; i < table.row_count; i++) {
		check_text(table.rows[i].name, sizeof(table.rows[i].name));
		check_text(table.rows[i].detail, sizeof(table.rows[i].detail));
	}
	check_layout(&table, 0);
	check_layout(&table, 1 + (unsigned)(bytes % 80));
	return 0;
}
