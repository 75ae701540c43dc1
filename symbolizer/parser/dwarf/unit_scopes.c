/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_scopes - finds the functions and inlined calls of one unit that hold requested addresses
 */

#include "symbolizer/parser/dwarf/unit_scopes.h"

#include <stdlib.h>

#include "symbolizer/parser/dwarf/constants.h"
#include "symbolizer/parser/grow.h"

struct level {
	uint32_t scope;            /* around what lies in it: index + 1 */
	struct place_range within; /* the places that its ranges span */
};

struct walk {
	struct unit_scopes *scopes;
	struct dwarf *dwarf;
	const struct unit *unit;
	struct place_range wanted;
	struct cursor cursor;
	struct die die; /* that is being visited */
	uint32_t depth;
	uint32_t skipped; /* levels below, of DIEs that are not visited */
	bool visits_all;  /* also functions that hold no place, for those nested in them */
	bool failed;
	struct level levels[UNIT_SCOPES_DEPTH];
};

/* --- what a DIE holds ------------------------------------------------------------------------- */

static uint32_t add_scope(struct walk *walk, uint32_t around)
{
	struct unit_scopes *scopes = walk->scopes;
	struct scope *grown = grow(scopes->list, scopes->count, &scopes->capacity, sizeof(*grown));

	walk->failed = !grown;
	if (!grown)
		return 0;
	scopes->list = grown;
	grown[scopes->count] = (struct scope){.die = walk->die.offset, .parent = around};
	return ++scopes->count;
}

/* An inlined call counts where the scope around it does; a function where no other does. */
static void take_places(struct walk *walk, struct place_range found, uint32_t around,
			uint32_t *scope)
{
	uint32_t *innermost = walk->scopes->innermost;

	for (uint32_t i = found.first; i < found.end && !walk->failed; i++) {
		if (innermost[i] != around)
			continue;
		if (!*scope)
			*scope = add_scope(walk, around);
		innermost[i] = *scope;
	}
}

static struct place_range span(struct place_range a, struct place_range b)
{
	if (a.first == a.end)
		return b;
	if (b.first == b.end)
		return a;
	return (struct place_range){a.first < b.first ? a.first : b.first,
				    a.end > b.end ? a.end : b.end};
}

/* @within: the places to look at. Return: whether to descend into a function or inlined call.
 * @ret_level: of what lies in it. */
static bool visit_scope(struct walk *walk, struct place_range within, uint32_t around,
			struct level *ret_level)
{
	struct ranges ranges;
	uint32_t scope = 0;

	*ret_level = (struct level){0};
	ranges_open(&ranges, walk->dwarf, walk->unit, &walk->die);
	while (ranges_next(&ranges)) {
		struct place_range found = places_in_range(walk->scopes->places, within, &ranges);

		take_places(walk, found, around, &scope);
		ret_level->within = span(ret_level->within, found);
	}
	ret_level->scope = scope;
	return ret_level->within.end > ret_level->within.first;
}

static bool visit_block(struct walk *walk, const struct level *level)
{
	struct ranges ranges;

	ranges_open(&ranges, walk->dwarf, walk->unit, &walk->die);
	if (!ranges.has_any || walk->visits_all)
		return true;
	while (ranges_next(&ranges)) {
		struct place_range found =
			places_in_range(walk->scopes->places, level->within, &ranges);

		if (found.first < found.end)
			return true;
	}
	return false;
}

/* Return: whether to descend. */
static bool visit(struct walk *walk, const struct level *level, struct level *ret_level)
{
	*ret_level = *level;
	switch (walk->die.tag) {
	case DW_TAG_subprogram:
		return visit_scope(walk, walk->wanted, 0, ret_level) || walk->visits_all;
	case DW_TAG_inlined_subroutine:
		return level->scope && visit_scope(walk, level->within, level->scope, ret_level) &&
		       ret_level->scope;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
		return visit_block(walk, level);
	default:
		return true;
	}
}

/* Only a DIE that may hold a place, or others that do. */
static inline bool is_visited(const struct walk *walk, const struct abbreviation *abbreviation)
{
	switch (abbreviation->tag) {
	case DW_TAG_subprogram:
		return abbreviation->has_code || walk->visits_all;
	case DW_TAG_inlined_subroutine:
		return abbreviation->has_code && walk->levels[walk->depth - 1].scope;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
	case DW_TAG_namespace:
	case DW_TAG_module:
		return true;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
		return walk->visits_all;
	default:
		return false;
	}
}

/* --- the walk --------------------------------------------------------------------------------- */

static void give_up(struct walk *walk)
{
	walk->scopes->malformed = true;
	walk->depth = 0;
}

/* To the DIE behind the current one and all that lies in it. */
static void go_behind(struct walk *walk, const struct attribute_value *sibling, bool has_children)
{
	uint8_t *bytes = walk->dwarf->sections.list[DEBUG_INFO].bytes;
	struct dwarf *same;
	uint64_t offset;

	if (!sibling) {
		walk->skipped += has_children;
		return;
	}
	if (!dwarf_reference(walk->dwarf, walk->unit, sibling, &same, &offset) ||
	    same != walk->dwarf || offset > walk->unit->header.end ||
	    bytes + offset <= walk->cursor.at)
		give_up(walk);
	else
		walk->cursor.at = bytes + offset;
}

/* Return: whether the reference to what follows the DIE could be followed; the cursor is there. */
static inline bool follow_sibling(struct walk *walk, const struct abbreviation *abbreviation)
{
	uint8_t *bytes = walk->dwarf->sections.list[DEBUG_INFO].bytes;
	struct cursor at = walk->cursor;
	uint64_t offset;

	if (!abbreviation->sibling_bytes || abbreviation->sibling_at < 0)
		return false;
	cursor_skip(&at, (uint64_t)abbreviation->sibling_at);
	offset = cursor_number(&at, abbreviation->sibling_bytes);
	if (offset > walk->unit->header.end - walk->unit->header.offset ||
	    bytes + walk->unit->header.offset + offset < at.at)
		return false;
	walk->cursor.at = bytes + walk->unit->header.offset + offset;
	return true;
}

static inline void skip_die(struct walk *walk, const struct abbreviation *abbreviation)
{
	if (abbreviation->bytes >= 0 && !abbreviation->has_children) {
		cursor_skip(&walk->cursor, (uint64_t)abbreviation->bytes);
	} else if (!follow_sibling(walk, abbreviation)) {
		die_walk(&walk->die, &walk->cursor, &walk->unit->abbreviations, abbreviation,
			 &walk->unit->header.sizes);
		go_behind(walk, die_value(&walk->die, DIE_SIBLING), abbreviation->has_children);
	}
}

static void visit_die(struct walk *walk, const struct abbreviation *abbreviation,
		      const uint8_t *begin)
{
	uint8_t *bytes = walk->dwarf->sections.list[DEBUG_INFO].bytes;
	struct level inner;
	bool descends;

	walk->die.offset = (uint64_t)(begin - bytes);
	die_walk(&walk->die, &walk->cursor, &walk->unit->abbreviations, abbreviation,
		 &walk->unit->header.sizes);
	descends = visit(walk, &walk->levels[walk->depth - 1], &inner);
	if (!walk->die.has_children)
		return;
	if (descends && walk->depth < UNIT_SCOPES_DEPTH) {
		walk->levels[walk->depth++] = inner;
		return;
	}
	walk->scopes->truncated |= descends;
	go_behind(walk, die_value(&walk->die, DIE_SIBLING), true);
}

static void step(struct walk *walk)
{
	const uint8_t *begin = walk->cursor.at;
	uint64_t code = cursor_unsigned(&walk->cursor);
	const struct abbreviation *abbreviation;

	if (!code) {
		if (walk->skipped)
			walk->skipped--;
		else
			walk->depth--;
		return;
	}
	abbreviation = abbreviations_find(&walk->unit->abbreviations, code);
	if (!abbreviation)
		give_up(walk);
	else if (walk->skipped || !is_visited(walk, abbreviation))
		skip_die(walk, abbreviation);
	else
		visit_die(walk, abbreviation, begin);
}

static int run(struct walk *walk)
{
	const struct unit_header *header = &walk->unit->header;
	struct unit_scopes *scopes = walk->scopes;
	struct debug_section *info = &walk->dwarf->sections.list[DEBUG_INFO];
	const struct abbreviation *first;

	walk->cursor = debug_section_read(info, header->first, header->end - header->first);
	walk->depth = 1;
	walk->skipped = 0;
	walk->levels[0] = (struct level){.within = walk->wanted};
	/* The first DIE is the unit itself: what follows it lies in it. It was read before. */
	first = abbreviations_find(&walk->unit->abbreviations, cursor_unsigned(&walk->cursor));
	if (!first)
		return info->status == PARSER_FAILED ? PARSER_FAILED : 0;
	die_read(&walk->die, &walk->cursor, &walk->unit->abbreviations, first, &header->sizes,
		 walk->cursor.at);
	if (!walk->die.has_children)
		return 0;
	while (walk->depth && !walk->failed && cursor_left(&walk->cursor)) {
		if (!scopes->dies_left) {
			scopes->truncated = true;
			return 0;
		}
		scopes->dies_left--;
		step(walk);
	}
	scopes->malformed |= walk->cursor.is_past_end;
	return walk->failed ? PARSER_FAILED : 0;
}

/* In other languages, a function may be described within another: a lambda, a nested procedure. */
static bool has_flat_functions(const struct unit *unit)
{
	switch (die_number(&unit->root, DIE_LANGUAGE)) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_Go:
	case DW_LANG_Mips_Assembler:
		return true;
	default:
		return false;
	}
}

int unit_scopes_open(struct unit_scopes *scopes, const struct places *places)
{
	*scopes = (struct unit_scopes){.places = places, .dies_left = UNIT_SCOPES_DIES};
	scopes->innermost = malloc((places->count + 1ull) * sizeof(*scopes->innermost));
	if (!scopes->innermost)
		return PARSER_FAILED;
	for (uint32_t i = 0; i < places->count; i++)
		scopes->innermost[i] = UNIT_SCOPES_IGNORED;
	return 0;
}

int unit_scopes_find(struct unit_scopes *scopes, struct dwarf *dwarf, const struct unit *unit,
		     const uint32_t *wanted, uint32_t count)
{
	static struct walk walk; /* large; a process reads one file at a time */
	bool is_complete = true;
	int r;

	scopes->count = 0;
	walk.scopes = scopes;
	walk.dwarf = dwarf;
	walk.unit = unit;
	walk.wanted = (struct place_range){wanted[0], wanted[count - 1] + 1};
	walk.visits_all = walk.failed = false;
	r = run(&walk);
	for (uint32_t i = 0; i < count; i++)
		is_complete &= scopes->innermost[wanted[i]] != UNIT_SCOPES_NONE;
	if (r || is_complete || has_flat_functions(unit))
		return r;
	walk.visits_all = true;
	return run(&walk);
}

void unit_scopes_close(struct unit_scopes *scopes)
{
	free(scopes->innermost);
	free(scopes->list);
	*scopes = (struct unit_scopes){0};
}
