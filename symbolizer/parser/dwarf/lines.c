/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines - finds functions, inlined calls and source lines at addresses of one ELF file
 */

#include "symbolizer/parser/dwarf/lines.h"

#include <stdlib.h>

#include "symbolizer/parser/dwarf/constants.h"
#include "symbolizer/parser/dwarf/go_calls.h"
#include "symbolizer/parser/dwarf/unit_calls.h"
#include "symbolizer/parser/grow.h"

struct search {
	struct places places;
	struct dwarf dwarf, alternate;
	struct unit_scopes scopes;
	struct function_names names;
	struct line_program program;
	struct line_result lines;
	struct place_line *rows; /* owned; of each place that is wanted */
	uint32_t *units;         /* owned: numbers of those that hold a place */
	uint32_t unit_count, unit_capacity;
	uint32_t *wanted; /* owned: places of the unit that is being read */
	uint32_t wanted_count;
};

static bool holds_place(struct search *search, const struct unit *unit)
{
	struct place_range all = {0, search->places.count};
	struct ranges ranges;

	ranges_open(&ranges, &search->dwarf, unit, &unit->root);
	while (ranges_next(&ranges)) {
		struct place_range found = places_in_range(&search->places, all, &ranges);

		if (found.first < found.end)
			return true;
	}
	return false;
}

static int note_unit(struct search *search, const struct unit *unit)
{
	uint32_t *grown;

	if (unit->root.tag != DW_TAG_compile_unit && unit->root.tag != DW_TAG_skeleton_unit)
		return 0;
	if (!holds_place(search, unit))
		return 0;
	if (die_value(&unit->root, DIE_DWO_NAME))
		search->lines.flags |= PARSER_LINES_SPLIT_DEBUG;
	grown = grow(search->units, search->unit_count, &search->unit_capacity, sizeof(*grown));
	if (!grown)
		return PARSER_FAILED;
	search->units = grown;
	grown[search->unit_count++] = unit->number;
	return 0;
}

/* By the ranges of their first DIEs: many files have no .debug_aranges, or not for all units. */
static int collect_units(struct search *search)
{
	struct unit unit = {0};
	int r = 0;

	for (uint32_t i = 0; r != PARSER_FAILED && i < search->dwarf.unit_count; i++) {
		r = dwarf_read_root(&search->dwarf, i, &unit);
		if (!r)
			r = note_unit(search, &unit);
	}
	abbreviations_free(&unit.abbreviations);
	return r == PARSER_FAILED ? r : 0;
}

static int compare(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return (left > right) - (left < right);
}

/* The places of a unit of which nothing is known yet, ascending. */
static void want_places(struct search *search, const struct unit *unit)
{
	struct place_range all = {0, search->places.count};
	bool is_ascending = true;
	struct ranges ranges;

	search->wanted_count = 0;
	ranges_open(&ranges, &search->dwarf, unit, &unit->root);
	while (ranges_next(&ranges)) {
		struct place_range found = places_in_range(&search->places, all, &ranges);

		for (uint32_t i = found.first; i < found.end; i++) {
			if (search->lines.places[i].call_count ||
			    search->scopes.innermost[i] != UNIT_SCOPES_IGNORED)
				continue;
			search->scopes.innermost[i] = UNIT_SCOPES_NONE;
			if (search->wanted_count)
				is_ascending &= search->wanted[search->wanted_count - 1] < i;
			search->wanted[search->wanted_count++] = i;
		}
	}
	if (!is_ascending)
		qsort(search->wanted, search->wanted_count, sizeof(*search->wanted), compare);
}

static int read_unit(struct search *search, const struct unit *unit)
{
	struct unit_calls calls = {.dwarf = &search->dwarf,
				   .lines = &search->lines,
				   .scopes = &search->scopes,
				   .names = &search->names,
				   .program = &search->program};
	int r;

	want_places(search, unit);
	if (!search->wanted_count)
		return 0;
	r = unit_scopes_find(&search->scopes, &search->dwarf, unit, search->wanted,
			     search->wanted_count);
	if (!r)
		r = line_program_open(&search->program, &search->dwarf, unit);
	if (!r)
		line_program_run(&search->program, &search->places, search->wanted,
				 search->wanted_count, search->rows);
	unit_calls_open(&calls, unit);
	for (uint32_t i = 0; i < search->wanted_count; i++) {
		uint32_t place = search->wanted[i];

		if (!r)
			r = unit_calls_add(&calls, place, &search->rows[i]);
		search->scopes.innermost[place] = UNIT_SCOPES_IGNORED;
	}
	return r;
}

static int run(struct search *search)
{
	int r = collect_units(search), status;

	for (uint32_t i = 0; !r && i < search->unit_count; i++) {
		const struct unit *unit = dwarf_unit(&search->dwarf, search->units[i]);

		if (unit)
			r = read_unit(search, unit);
	}
	status = debug_sections_status(&search->dwarf.sections);
	if (status != PARSER_FAILED && debug_sections_status(&search->alternate.sections))
		status = debug_sections_status(&search->alternate.sections);
	if (search->scopes.truncated || search->dwarf.truncated || search->alternate.truncated)
		search->lines.flags |= PARSER_LINES_TRUNCATED;
	if (search->scopes.malformed || search->dwarf.malformed || search->alternate.malformed ||
	    status == PARSER_MALFORMED)
		search->lines.flags |= PARSER_LINES_MALFORMED;
	return !r && status == PARSER_FAILED ? status : r;
}

static int open_search(struct search *search)
{
	uint64_t count = search->places.count + 1ull;
	int r = line_result_open(&search->lines, search->places.count);

	search->wanted = calloc(count, sizeof(*search->wanted));
	search->rows = calloc(count, sizeof(*search->rows));
	if (!r)
		r = unit_scopes_open(&search->scopes, &search->places);
	if (!r)
		r = function_names_open(&search->names, &search->lines.names);
	return !search->wanted || !search->rows ? PARSER_FAILED : r;
}

static void close_search(struct search *search)
{
	unit_scopes_close(&search->scopes);
	function_names_close(&search->names);
	line_program_close(&search->program);
	line_result_close(&search->lines);
	free(search->rows);
	free(search->units);
	free(search->wanted);
	dwarf_close(&search->dwarf);
	dwarf_close(&search->alternate);
}

/* The sections are closed with the search. */
static int open_dwarf(struct search *search, const struct debug_file *debug)
{
	int r = dwarf_open(&search->dwarf, &debug->sections);
	int other = dwarf_open(&search->alternate, &debug->alternate);

	search->dwarf.alternate = &search->alternate;
	if (debug->lacks_alternate)
		search->lines.flags |= PARSER_LINES_ALT_MISSING;
	if (debug->sections.list[DEBUG_INFO].size)
		search->lines.flags |= PARSER_LINES_HAS_DWARF;
	return r ? r : other;
}

static int find_all(struct result_blob *result, const struct debug_file *debug,
		    const struct image_source *file, const struct places *places)
{
	struct search search = {.places = *places};
	int r = open_search(&search), opened = open_dwarf(&search, debug);

	if (!r)
		r = opened;
	if (!r)
		r = run(&search);
	if (!r)
		r = go_calls_add(&search.lines, file, places->vaddrs);
	if (!r)
		r = line_result_write(&search.lines, &debug->id, result);
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

int lines_find(struct result_blob *result, const struct debug_sources *sources,
	       const uint64_t *vaddrs, uint32_t count)
{
	const struct places places = {vaddrs, count};
	struct debug_file debug;
	int r;

	*result = (struct result_blob){0};
	if (count > PARSER_OFFSETS_MAX || !is_ascending(vaddrs, count))
		return PARSER_REFUSED;
	r = debug_file_open(&debug, sources);
	if (r)
		debug_file_close(&debug);
	return r ? r : find_all(result, &debug, sources->file, &places);
}
