/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines - finds functions, inlined calls and source lines at addresses of one ELF file
 */

#include "symbolizer/parser/dwarf/lines.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/parser/dwarf/debug_file.h"
#include "symbolizer/parser/dwarf/debug_sections.h"
#include "symbolizer/parser/dwarf/unit_calls.h"
#include "symbolizer/parser/grow.h"

struct search {
	struct places places;
	struct unit_scopes scopes;
	struct line_result lines;
	Elf *elf;
	Dwarf *dwarf;
	uint64_t rows;    /* of line programs that libdw holds */
	Dwarf_Off *units; /* owned: of those that hold a place */
	uint32_t unit_count, unit_capacity;
	uint32_t *wanted; /* owned: places of the unit that is being read */
	uint32_t wanted_count;
};

static void ignore_place(void *context, uint32_t place)
{
}

static int note_unit(struct search *search, Dwarf_Die *unit, uint8_t type)
{
	Dwarf_Off *grown;

	if (!places_in_die(&search->places, unit, ignore_place, NULL, NULL))
		return 0;
	if (type == DW_UT_skeleton)
		search->lines.flags |= PARSER_LINES_SPLIT_DEBUG;
	grown = grow(search->units, search->unit_count, &search->unit_capacity, sizeof(*grown));
	if (!grown)
		return PARSER_FAILED;
	search->units = grown;
	grown[search->unit_count++] = dwarf_dieoffset(unit);
	return 0;
}

/* By the ranges of their first DIEs: many files have no .debug_aranges, or not for all units. */
static int collect_units(struct search *search)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	uint8_t type;
	int r = 0, more;

	for (uint32_t i = 0; !r; i++) {
		more = dwarf_get_units(search->dwarf, unit, &unit, NULL, &type, &die, NULL);
		if (more < 0)
			search->lines.flags |= PARSER_LINES_MALFORMED;
		if (more)
			break;
		if (i == LINES_UNITS_MAX) {
			search->lines.flags |= PARSER_LINES_TRUNCATED;
			break;
		}
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			r = note_unit(search, &die, type);
	}
	return r;
}

static void want_place(void *context, uint32_t place)
{
	struct search *search = context;

	if (search->lines.places[place].call_count ||
	    search->scopes.innermost[place] != UNIT_SCOPES_IGNORED)
		return;
	search->scopes.innermost[place] = UNIT_SCOPES_NONE;
	search->wanted[search->wanted_count++] = place;
}

static int read_unit(struct search *search, Dwarf_Die *unit)
{
	struct unit_calls calls;
	Dwarf_Lines *rows;
	size_t count;
	int r;

	search->wanted_count = 0;
	if (!places_in_die(&search->places, unit, want_place, search, NULL) ||
	    !search->wanted_count)
		return 0;
	r = unit_scopes_find(&search->scopes, unit, search->wanted, search->wanted_count);
	unit_calls_open(&calls, &search->lines, &search->scopes, unit);
	for (uint32_t i = 0; i < search->wanted_count; i++) {
		uint32_t place = search->wanted[i];

		if (!r)
			r = unit_calls_add(&calls, place);
		search->scopes.innermost[place] = UNIT_SCOPES_IGNORED;
	}
	if (dwarf_getsrclines(unit, &rows, &count) == 0)
		search->rows += count;
	return r;
}

static int open_dwarf(struct search *search)
{
	(void)dwarf_end(search->dwarf);
	search->rows = 0;
	search->dwarf = dwarf_begin_elf(search->elf, DWARF_C_READ, NULL);
	return search->dwarf ? 0 : PARSER_MALFORMED;
}

static int read_units(struct search *search)
{
	int r = 0;

	for (uint32_t i = 0; !r && i < search->unit_count; i++) {
		Dwarf_Die unit;

		if (search->rows > LINES_ROWS_HELD)
			r = open_dwarf(search);
		if (!r && dwarf_offdie(search->dwarf, search->units[i], &unit))
			r = read_unit(search, &unit);
	}
	return r;
}

static int run(struct search *search, const struct debug_sections *debug)
{
	int r;

	if (elf_version(EV_CURRENT) == EV_NONE)
		return PARSER_FAILED;
	search->elf = elf_memory((char *)debug->image, debug->bytes);
	if (!search->elf)
		return PARSER_FAILED;
	r = open_dwarf(search);
	if (!r)
		r = collect_units(search);
	if (!r)
		r = read_units(search);
	if (search->scopes.truncated)
		search->lines.flags |= PARSER_LINES_TRUNCATED;
	if (search->scopes.malformed || r == PARSER_MALFORMED)
		search->lines.flags |= PARSER_LINES_MALFORMED;
	return r == PARSER_MALFORMED ? 0 : r;
}

static void close_search(struct search *search)
{
	(void)dwarf_end(search->dwarf);
	(void)elf_end(search->elf);
	unit_scopes_close(&search->scopes);
	line_result_close(&search->lines);
	free(search->units);
	free(search->wanted);
}

static int search_image(struct result_blob *result, const struct debug_sections *debug,
			const struct build_id *id, const uint64_t *vaddrs, uint32_t count)
{
	struct search search = {.places = {vaddrs, count}};
	int r = line_result_open(&search.lines, count);

	if (!r)
		r = unit_scopes_open(&search.scopes, &search.places);
	search.wanted = calloc(count + 1ull, sizeof(*search.wanted));
	if (!search.wanted)
		r = PARSER_FAILED;
	if (debug->has_alternate)
		search.lines.flags |= PARSER_LINES_ALT_MISSING;
	if (debug->malformed)
		search.lines.flags |= PARSER_LINES_MALFORMED;
	if (debug->image)
		search.lines.flags |= PARSER_LINES_HAS_DWARF;
	if (!r && debug->image)
		r = run(&search, debug);
	if (!r)
		r = line_result_write(&search.lines, id, result);
	close_search(&search);
	return r;
}

static bool is_ascending(const uint64_t *vaddrs, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
		if (vaddrs[i - 1] >= vaddrs[i])
			return false;
	return true;
}

int lines_find(struct result_blob *result, const struct image_source *file,
	       const struct image_source *debug, const uint64_t *vaddrs, uint32_t count)
{
	struct debug_sections sections = {0};
	struct build_id id;
	int r;

	*result = (struct result_blob){0};
	if (count > PARSER_OFFSETS_MAX || !is_ascending(vaddrs, count))
		return PARSER_REFUSED;
	r = debug_file_open(&sections, &id, file, debug);
	if (!r)
		r = search_image(result, &sections, &id, vaddrs, count);
	debug_sections_close(&sections);
	return r;
}
