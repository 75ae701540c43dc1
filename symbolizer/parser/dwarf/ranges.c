/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ranges - the addresses of a DIE, range by range
 */

#include "symbolizer/parser/dwarf/ranges.h"

#include "symbolizer/parser/dwarf/constants.h"

#define ENTRY_BYTES 32u /* of a list: at most */

/* Only low and high pc. */
static void take_single(struct ranges *ranges, const struct die *die)
{
	const struct attribute_value *low = die_value(die, DIE_LOW_PC);
	const struct attribute_value *high = die_value(die, DIE_HIGH_PC);

	ranges->is_done = true;
	if (!low || !dwarf_address(ranges->dwarf, ranges->unit, low, &ranges->start))
		return;
	ranges->has_any = true;
	if (!high)
		return;
	if (!dwarf_address(ranges->dwarf, ranges->unit, high, &ranges->end))
		ranges->end = ranges->start + high->number;
	ranges->is_done = ranges->end <= ranges->start;
}

static bool find_indexed(struct ranges *ranges, uint64_t index)
{
	uint32_t bytes = ranges->unit->header.sizes.offset;
	uint64_t base = ranges->unit->rnglists;
	struct cursor cursor;

	if (index > ranges->section->size || base > ranges->section->size)
		return false;
	cursor = debug_section_read(ranges->section, base + index * bytes, bytes);
	ranges->offset = base + cursor_number(&cursor, bytes);
	return !cursor.is_past_end;
}

void ranges_open(struct ranges *ranges, struct dwarf *dwarf, const struct unit *unit,
		 const struct die *die)
{
	const struct attribute_value *list = die_value(die, DIE_RANGES);
	bool is_new = unit->header.sizes.version >= 5;

	*ranges = (struct ranges){.dwarf = dwarf, .unit = unit, .base = unit->low_pc};
	if (!list) {
		take_single(ranges, die);
		return;
	}
	ranges->has_any = true;
	ranges->section = &dwarf->sections.list[is_new ? DEBUG_RNGLISTS : DEBUG_RANGES];
	ranges->offset = list->number;
	if (list->form == DW_FORM_rnglistx && !find_indexed(ranges, list->number))
		ranges->is_done = true;
}

/* Lists are read block by block: nothing says how long they are. */
static void refill(struct ranges *ranges)
{
	uint64_t at = ranges->offset - cursor_left(&ranges->cursor);

	if (cursor_left(&ranges->cursor) >= ENTRY_BYTES)
		return;
	ranges->cursor = debug_section_read(ranges->section, at, DEBUG_SECTION_BLOCK / 4);
	ranges->offset = at + cursor_left(&ranges->cursor);
}

/* .debug_ranges. Return: whether `start` and `end` are a range. */
static bool read_pair(struct ranges *ranges)
{
	uint32_t bytes = ranges->unit->header.sizes.address;
	uint64_t most = bytes == 8 ? UINT64_MAX : UINT32_MAX;
	uint64_t start = cursor_number(&ranges->cursor, bytes);
	uint64_t end = cursor_number(&ranges->cursor, bytes);

	if (start == most) {
		ranges->base = end;
		return false;
	}
	ranges->is_done = !start && !end;
	ranges->start = ranges->base + start;
	ranges->end = ranges->base + end;
	return !ranges->is_done;
}

static uint64_t read_address(struct ranges *ranges)
{
	return cursor_number(&ranges->cursor, ranges->unit->header.sizes.address);
}

static uint64_t read_indexed_address(struct ranges *ranges)
{
	const struct attribute_value value = {cursor_unsigned(&ranges->cursor), DW_FORM_addrx};
	uint64_t address = 0;

	ranges->is_done |= !dwarf_address(ranges->dwarf, ranges->unit, &value, &address);
	return address;
}

/* .debug_rnglists, likewise. */
static bool read_entry(struct ranges *ranges)
{
	switch (cursor_byte(&ranges->cursor)) {
	case DW_RLE_base_addressx:
		ranges->base = read_indexed_address(ranges);
		return false;
	case DW_RLE_startx_endx:
		ranges->start = read_indexed_address(ranges);
		ranges->end = read_indexed_address(ranges);
		return true;
	case DW_RLE_startx_length:
		ranges->start = read_indexed_address(ranges);
		ranges->end = ranges->start + cursor_unsigned(&ranges->cursor);
		return true;
	case DW_RLE_offset_pair:
		ranges->start = ranges->base + cursor_unsigned(&ranges->cursor);
		ranges->end = ranges->base + cursor_unsigned(&ranges->cursor);
		return true;
	case DW_RLE_base_address:
		ranges->base = read_address(ranges);
		return false;
	case DW_RLE_start_end:
		ranges->start = read_address(ranges);
		ranges->end = read_address(ranges);
		return true;
	case DW_RLE_start_length:
		ranges->start = read_address(ranges);
		ranges->end = ranges->start + cursor_unsigned(&ranges->cursor);
		return true;
	default: /* DW_RLE_end_of_list, and what nobody knows */
		ranges->is_done = true;
		return false;
	}
}

bool ranges_next(struct ranges *ranges)
{
	if (!ranges->section) {
		bool has_one = !ranges->is_done;

		ranges->is_done = true;
		return has_one;
	}
	while (!ranges->is_done) {
		bool is_range;

		refill(ranges);
		is_range = ranges->unit->header.sizes.version >= 5 ? read_entry(ranges)
								   : read_pair(ranges);
		if (ranges->cursor.is_past_end)
			ranges->is_done = true;
		else if (is_range && !ranges->is_done && ranges->start < ranges->end)
			return true;
	}
	return false;
}
