/* SPDX-License-Identifier: Apache-2.0 */
/* unwind_layout - lays an unwind table out in units of the BPF maps */

#include "collector/unwind_layout.h"

#include <string.h>

static uint32_t units_for(uint32_t items, uint32_t items_per_unit)
{
	return (items + items_per_unit - 1) / items_per_unit;
}

struct unwind_layout unwind_layout_of(const struct tm_unwind_table_view *view)
{
	struct unwind_layout layout = {.view = *view};
	uint32_t pages = view->header->pages;

	if (!pages)
		return layout;
	layout.starts = units_for(pages, TM_UNWIND_UNIT_STARTS);
	layout.top = layout.starts > 1;
	layout.rules = units_for(view->header->rules, TM_UNWIND_UNIT_RULES);
	layout.units = layout.top + layout.starts + layout.rules + pages + (view->runtime != NULL);
	return layout;
}

uint64_t unwind_layout_reference(const struct unwind_layout *layout, uint32_t first)
{
	uint64_t runtime = layout->view.runtime ? TM_UNWIND_MAP_RUNTIME : 0;

	return layout->units
		       ? runtime | TM_UNWIND_MAP_REFERENCE(first, layout->starts, layout->rules,
							   layout->view.header->pages)
		       : TM_UNWIND_MAP_EMPTY;
}

/* Writes the starts of pages @from, @from + @step .., as many as a unit holds. */
static void write_starts(const struct unwind_layout *layout, uint32_t from, uint32_t step,
			 uint32_t *unit)
{
	for (uint32_t i = 0; i < TM_UNWIND_UNIT_STARTS; i++, from += step)
		unit[i] = from < layout->view.header->pages ? layout->view.starts[from]
							    : TM_UNWIND_UNIT_SPARE;
}

static void write_rules(const struct unwind_layout *layout, uint32_t from, struct tm_rule *unit)
{
	uint32_t left = layout->view.header->rules - from;

	memset(unit, 0, TM_UNWIND_UNIT_BYTES);
	memcpy(unit, layout->view.rules + from,
	       (left < TM_UNWIND_UNIT_RULES ? left : TM_UNWIND_UNIT_RULES) * sizeof(*unit));
}

void unwind_layout_write(const struct unwind_layout *layout, uint32_t index, void *ret_unit)
{
	uint32_t starts_at = layout->top, rules_at = starts_at + layout->starts;
	uint32_t pages_at = rules_at + layout->rules;

	if (index < starts_at)
		write_starts(layout, 0, TM_UNWIND_UNIT_STARTS, ret_unit);
	else if (index < rules_at)
		write_starts(layout, (index - starts_at) * TM_UNWIND_UNIT_STARTS, 1, ret_unit);
	else if (index < pages_at)
		write_rules(layout, (index - rules_at) * TM_UNWIND_UNIT_RULES, ret_unit);
	else /* a page, or the runtime, which lies behind the last one in the table, too */
		memcpy(ret_unit, &layout->view.pages[index - pages_at], TM_UNWIND_UNIT_BYTES);
}
