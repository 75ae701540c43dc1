/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_scopes - finds the functions and inlined calls of one unit that hold requested addresses
 */

#include "symbolizer/parser/dwarf/unit_scopes.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/parser/grow.h"
#include "symbolizer/parser/parser.h"

struct level {
	Dwarf_Die die;
	uint32_t scope; /* around it: index + 1 */
};

struct walk {
	struct unit_scopes *scopes;
	struct level levels[UNIT_SCOPES_DEPTH];
	uint32_t depth;
	uint32_t scope; /* of the DIE that is being visited */
	uint32_t around;
	bool visits_all; /* also functions that hold no place, for those nested in them */
	bool failed;
};

/* An inlined call counts where the scope around it does; a function where no other does. */
static void take_place(void *context, uint32_t place)
{
	struct walk *walk = context;
	struct unit_scopes *scopes = walk->scopes;
	struct scope *grown;

	if (scopes->innermost[place] != walk->around || walk->failed)
		return;
	if (!walk->scope) {
		grown = grow(scopes->list, scopes->count, &scopes->capacity, sizeof(*grown));
		walk->failed = !grown;
		if (!grown)
			return;
		scopes->list = grown;
		grown[scopes->count] = (struct scope){.die = walk->levels[walk->depth - 1].die,
						      .parent = walk->around};
		walk->scope = ++scopes->count;
	}
	scopes->innermost[place] = walk->scope;
}

static void ignore_place(void *context, uint32_t place)
{
}

/* Return: whether to descend. @ret_scope: around what lies in it. */
static bool visit_scope(struct walk *walk, Dwarf_Die *die, uint32_t around, uint32_t *ret_scope)
{
	bool any;

	walk->scope = 0;
	walk->around = around;
	any = places_in_die(walk->scopes->places, die, take_place, walk, NULL);
	*ret_scope = walk->scope;
	return any;
}

static bool visit(struct walk *walk, const struct level *level, uint32_t *ret_scope)
{
	Dwarf_Die die = level->die;
	bool any, has_ranges;

	*ret_scope = level->scope;
	switch (dwarf_tag(&die)) {
	case DW_TAG_subprogram:
		return visit_scope(walk, &die, 0, ret_scope) || walk->visits_all;
	case DW_TAG_inlined_subroutine:
		return level->scope && visit_scope(walk, &die, level->scope, ret_scope) &&
		       *ret_scope;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
		any = places_in_die(walk->scopes->places, &die, ignore_place, NULL, &has_ranges);
		return any || !has_ranges || walk->visits_all;
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

static void descend(struct walk *walk, uint32_t scope)
{
	struct level *level = &walk->levels[walk->depth - 1];
	Dwarf_Die child;
	int r;

	if (walk->depth == UNIT_SCOPES_DEPTH) {
		walk->scopes->truncated = true;
		return;
	}
	r = dwarf_child(&level->die, &child);
	walk->scopes->malformed |= r < 0;
	if (r == 0)
		walk->levels[walk->depth++] = (struct level){child, scope};
}

/* To the next sibling of the innermost DIE, or of those around it. Never past the unit itself. */
static void advance(struct walk *walk)
{
	while (walk->depth > 1) {
		struct level *level = &walk->levels[walk->depth - 1];
		Dwarf_Die next;
		int r = dwarf_siblingof(&level->die, &next);

		if (r == 0 && dwarf_dieoffset(&next) > dwarf_dieoffset(&level->die)) {
			level->die = next;
			return;
		}
		walk->scopes->malformed |= r <= 0;
		walk->depth--;
	}
	walk->depth = 0;
}

static int run(struct walk *walk, const Dwarf_Die *unit)
{
	struct unit_scopes *scopes = walk->scopes;

	walk->levels[0] = (struct level){*unit, 0};
	walk->depth = 1;
	descend(walk, 0);
	if (walk->depth == 1)
		return 0;
	while (walk->depth && !walk->failed) {
		uint32_t scope, depth = walk->depth;

		if (!scopes->dies_left) {
			scopes->truncated = true;
			return 0;
		}
		scopes->dies_left--;
		if (visit(walk, &walk->levels[depth - 1], &scope))
			descend(walk, scope);
		if (walk->depth == depth)
			advance(walk);
	}
	return walk->failed ? PARSER_FAILED : 0;
}

/* In other languages, a function may be described within another: a lambda, a nested procedure. */
static bool has_flat_functions(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
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

int unit_scopes_find(struct unit_scopes *scopes, Dwarf_Die *unit, const uint32_t *wanted,
		     uint32_t count)
{
	static struct walk walk; /* large; a process reads one file at a time */
	bool is_complete = true;
	int r;

	memset(&walk, 0, sizeof(walk));
	scopes->count = 0;
	walk.scopes = scopes;
	r = run(&walk, unit);
	for (uint32_t i = 0; i < count; i++)
		is_complete &= scopes->innermost[wanted[i]] != UNIT_SCOPES_NONE;
	if (r || is_complete || has_flat_functions(unit))
		return r;
	walk.visits_all = true;
	return run(&walk, unit);
}

void unit_scopes_close(struct unit_scopes *scopes)
{
	free(scopes->innermost);
	free(scopes->list);
	*scopes = (struct unit_scopes){0};
}
