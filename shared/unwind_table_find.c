/* SPDX-License-Identifier: Apache-2.0 */
/* unwind_table_find - looks up the rule of an offset in an unwind table */

#include <stddef.h>

#include "shared/unwind_table.h"

/* The last page that begins at or before the offset. */
static uint32_t find_page(const struct tm_unwind_table_view *view, uint64_t offset)
{
	uint32_t low = 0, high = view->header->pages;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (view->starts[middle] <= offset)
			low = middle;
		else
			high = middle;
	}
	return low;
}

const struct tm_rule *tm_unwind_table_find(const struct tm_unwind_table_view *view, uint64_t offset)
{
	const struct tm_unwind_table_page *page;
	uint64_t distance;
	uint32_t at = 0, number;

	if (!view->header->pages || offset < view->starts[0])
		return NULL;
	number = find_page(view, offset);
	page = &view->pages[number];
	distance = offset - view->starts[number];
	for (uint32_t step = TM_UNWIND_TABLE_PAGE / 2; step; step /= 2)
		if (page->offsets[at + step] <= distance)
			at += step;
	return &view->rules[page->rules[at]];
}
