/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dwarf - the units of one file's DWARF, of versions 2 to 5
 */

#include "symbolizer/parser/dwarf/dwarf.h"

#include <stdlib.h>

#include "shared/search.h"
#include "symbolizer/parser/dwarf/constants.h"
#include "symbolizer/parser/grow.h"
#include "symbolizer/parser/parser.h"

#define HEADER_BYTES   40u /* at most */
#define LONG_UNIT      0xffffffffu
#define RESERVED_UNITS 0xfffffff0u
#define SIGNATURE      8u /* of a type, of a split unit */

/* --- the list of units ------------------------------------------------------------------------ */

/* Return: whether the unit has a form that is known here. */
static bool read_header(struct cursor *cursor, struct unit_header *header)
{
	uint8_t type = DW_UT_compile;

	header->sizes.version = (uint8_t)cursor_number(cursor, 2);
	if (header->sizes.version < 2 || header->sizes.version > 5)
		return false;
	if (header->sizes.version == 5) {
		type = cursor_byte(cursor);
		header->sizes.address = cursor_byte(cursor);
	}
	header->abbreviations = cursor_number(cursor, header->sizes.offset);
	if (header->sizes.version < 5)
		header->sizes.address = cursor_byte(cursor);
	switch (type) {
	case DW_UT_type:
	case DW_UT_split_type:
		cursor_skip(cursor, SIGNATURE + header->sizes.offset);
		break;
	case DW_UT_skeleton:
	case DW_UT_split_compile:
		cursor_skip(cursor, SIGNATURE);
		break;
	default:
		break;
	}
	return !cursor->is_past_end && (header->sizes.address == 4 || header->sizes.address == 8);
}

/* Return: whether another unit may follow at `end`. @ret_known: whether this one is listed. */
static bool read_unit(struct dwarf *dwarf, struct unit_header *header, bool *ret_known)
{
	struct debug_section *info = &dwarf->sections.list[DEBUG_INFO];
	struct cursor cursor = debug_section_read(info, header->offset, HEADER_BYTES);
	uint64_t begin = header->offset, length = cursor_number(&cursor, 4), prefix = 4;

	*ret_known = false;
	header->sizes.offset = 4;
	if (length == LONG_UNIT) {
		header->sizes.offset = 8;
		length = cursor_number(&cursor, 8);
		prefix = 12;
	} else if (length >= RESERVED_UNITS) {
		return false;
	}
	if (cursor.is_past_end || !length || length > info->size - begin - prefix)
		return false;
	header->end = begin + prefix + length;
	*ret_known = read_header(&cursor, header);
	header->first = begin +
			(HEADER_BYTES < info->size - begin ? HEADER_BYTES : info->size - begin) -
			cursor_left(&cursor);
	*ret_known &= header->first < header->end;
	dwarf->malformed |= !*ret_known;
	return true;
}

static int list_units(struct dwarf *dwarf)
{
	struct debug_section *info = &dwarf->sections.list[DEBUG_INFO];
	struct unit_header header = {0};

	for (; header.offset < info->size; header.offset = header.end) {
		struct unit_header *grown;
		bool is_known;

		if (!read_unit(dwarf, &header, &is_known)) {
			dwarf->malformed = true;
			break;
		}
		if (!is_known)
			continue;
		if (dwarf->unit_count == DWARF_UNITS_MAX) {
			dwarf->truncated = true;
			break;
		}
		grown = grow(dwarf->units, dwarf->unit_count, &dwarf->unit_capacity,
			     sizeof(*grown));
		if (!grown)
			return PARSER_FAILED;
		dwarf->units = grown;
		grown[dwarf->unit_count++] = header;
	}
	return 0;
}

int dwarf_open(struct dwarf *dwarf, const struct debug_sections *sections)
{
	*dwarf = (struct dwarf){.sections = *sections};
	return list_units(dwarf);
}

void dwarf_close(struct dwarf *dwarf)
{
	for (uint32_t i = 0; i < DWARF_OPEN_UNITS; i++) {
		if (dwarf->open[i])
			abbreviations_free(&dwarf->open[i]->abbreviations);
		free(dwarf->open[i]);
	}
	free(dwarf->units);
	debug_sections_close(&dwarf->sections);
	*dwarf = (struct dwarf){0};
}

/* --- units ------------------------------------------------------------------------------------ */

static uint64_t base_of(const struct unit *unit, enum die_attribute attribute, uint64_t otherwise)
{
	const struct attribute_value *value = die_value(&unit->root, attribute);

	return value ? value->number : otherwise;
}

static void read_bases(struct dwarf *dwarf, struct unit *unit)
{
	const struct attribute_value *low = die_value(&unit->root, DIE_LOW_PC);
	bool is_long = unit->header.sizes.offset == 8;
	/* Behind the header of a part of its section, which only DWARF 5 has. */
	uint64_t header = unit->header.sizes.version < 5 ? 0 : is_long ? 16 : 8;

	unit->str_offsets = base_of(unit, DIE_STR_OFFSETS_BASE, header);
	unit->addr = base_of(unit, DIE_ADDR_BASE, header);
	unit->rnglists = base_of(unit, DIE_RNGLISTS_BASE, is_long ? 20 : 12);
	unit->low_pc = 0;
	if (low)
		(void)dwarf_address(dwarf, unit, low, &unit->low_pc);
}

/* @only: as abbreviations_read(). */
static int read_abbreviations(struct dwarf *dwarf, struct unit *unit, uint64_t only)
{
	struct debug_section *section = &dwarf->sections.list[DEBUG_ABBREV];
	uint64_t bytes = DEBUG_SECTION_BLOCK;

	for (;;) {
		struct cursor cursor =
			debug_section_read(section, unit->header.abbreviations, bytes);
		bool is_all = cursor_left(&cursor) < bytes;
		int r;

		unit->abbreviations.count = unit->abbreviations.attribute_count = 0;
		unit->abbreviations.step_count = 0;
		r = abbreviations_read(&unit->abbreviations, &cursor, &unit->header.sizes, only);
		if (r || is_all || !cursor.is_past_end)
			return r;
		bytes *= 4;
	}
}

int dwarf_read_root(struct dwarf *dwarf, uint32_t number, struct unit *unit)
{
	struct debug_section *info = &dwarf->sections.list[DEBUG_INFO];
	struct cursor code;
	int r;

	unit->number = number;
	unit->header = dwarf->units[number];
	code = debug_section_read(info, unit->header.first, HEADER_BYTES);
	r = read_abbreviations(dwarf, unit, cursor_unsigned(&code));
	if (r)
		return r;
	if (!dwarf_die(dwarf, unit, unit->header.first, &unit->root))
		return PARSER_MALFORMED;
	read_bases(dwarf, unit);
	return 0;
}

const struct unit *dwarf_unit(struct dwarf *dwarf, uint32_t number)
{
	struct unit **slot = &dwarf->open[number % DWARF_OPEN_UNITS];

	if (*slot && (*slot)->number == number)
		return *slot;
	if (!*slot)
		*slot = calloc(1, sizeof(**slot));
	if (!*slot)
		return NULL;
	(*slot)->number = number;
	(*slot)->header = dwarf->units[number];
	if (read_abbreviations(dwarf, *slot, 0) == 0 &&
	    dwarf_die(dwarf, *slot, (*slot)->header.first, &(*slot)->root)) {
		read_bases(dwarf, *slot);
		return *slot;
	}
	(*slot)->number = UINT32_MAX;
	dwarf->malformed = true;
	return NULL;
}

static bool is_behind(const void *list, uint32_t index, uint64_t key)
{
	return ((const struct unit_header *)list)[index].offset > key;
}

const struct unit *dwarf_unit_of(struct dwarf *dwarf, uint64_t offset)
{
	uint32_t number = search_last(dwarf->units, dwarf->unit_count, offset, is_behind);

	if (number >= dwarf->unit_count || offset < dwarf->units[number].first ||
	    offset >= dwarf->units[number].end)
		return NULL;
	return dwarf_unit(dwarf, number);
}

/* --- DIEs ------------------------------------------------------------------------------------- */

bool dwarf_die(struct dwarf *dwarf, const struct unit *unit, uint64_t offset, struct die *ret_die)
{
	struct debug_section *info = &dwarf->sections.list[DEBUG_INFO];
	uint64_t most = unit->header.end - offset, bytes = DEBUG_SECTION_BLOCK;

	if (offset < unit->header.first || offset >= unit->header.end)
		return false;
	for (;; bytes = most) { /* nearly all DIEs are short; one may be as long as its unit */
		struct cursor cursor =
			debug_section_read(info, offset, bytes < most ? bytes : most);
		const struct abbreviation *abbreviation =
			abbreviations_find(&unit->abbreviations, cursor_unsigned(&cursor));

		if (abbreviation) {
			ret_die->offset = offset;
			die_read(ret_die, &cursor, &unit->abbreviations, abbreviation,
				 &unit->header.sizes, info->bytes);
		}
		if (abbreviation && !cursor.is_past_end)
			return true;
		if (!abbreviation || bytes >= most) {
			dwarf->malformed = true;
			return false;
		}
	}
}
