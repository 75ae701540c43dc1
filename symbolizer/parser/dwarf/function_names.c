/* SPDX-License-Identifier: Apache-2.0 */
/*
 * function_names - the name and first line of the function that a DIE is of
 */

#include "symbolizer/parser/dwarf/function_names.h"

#include <stdlib.h>

#include "symbolizer/parser/parser.h"

struct search {
	struct dwarf *dwarf;
	const struct unit *unit;
	const char *linkage_name, *name;
	uint32_t line;
};

static void take(struct search *search, const struct die *die)
{
	if (!search->linkage_name)
		search->linkage_name =
			dwarf_string(search->dwarf, search->unit, die_value(die, DIE_LINKAGE_NAME));
	if (!search->name)
		search->name = dwarf_string(search->dwarf, search->unit, die_value(die, DIE_NAME));
	if (!search->line)
		search->line = die_number(die, DIE_DECL_LINE);
}

/* Where the DIE is that another one refers to; its file is then the one of @search. */
static bool find_next(struct search *search, const struct die *die, uint64_t *ret_offset)
{
	const struct attribute_value *reference = die_value(die, DIE_ORIGIN);

	if (!reference)
		reference = die_value(die, DIE_SPECIFICATION);
	return reference &&
	       dwarf_reference(search->dwarf, search->unit, reference, &search->dwarf, ret_offset);
}

static bool read_die(struct search *search, uint64_t offset, struct die *ret_die)
{
	search->unit = dwarf_unit_of(search->dwarf, offset);
	return search->unit && dwarf_die(search->dwarf, search->unit, offset, ret_die);
}

/* What @die says, and the DIEs that references lead to from there. */
static struct function_name read_names(struct function_names *names, struct search search,
				       const struct die *die)
{
	struct function_name found = {.dwarf = search.dwarf, .die = die->offset};
	struct die next = *die;
	uint64_t offset;

	take(&search, &next);
	for (uint32_t i = 0; i < FUNCTION_NAMES_HOPS; i++) {
		if ((search.linkage_name && search.line) || !find_next(&search, &next, &offset) ||
		    !read_die(&search, offset, &next))
			break;
		take(&search, &next);
	}
	found.name =
		name_pool_add(names->pool, search.linkage_name ? search.linkage_name : search.name);
	found.line = search.line;
	return found;
}

struct function_name function_names_find(struct function_names *names, struct dwarf *dwarf,
					 const struct unit *unit, const struct die *die)
{
	const struct search own = {.dwarf = dwarf, .unit = unit};
	struct search search = own;
	struct function_name *slot;
	struct die origin;
	uint64_t offset;

	/* A call, or a copy of a function, has mostly nothing of its own. */
	if (die_value(die, DIE_LINKAGE_NAME) || die_value(die, DIE_NAME) ||
	    die_value(die, DIE_DECL_LINE) || !find_next(&search, die, &offset))
		return read_names(names, own, die);
	slot = &names->kept[(offset ^ offset >> 13) % FUNCTION_NAMES_KEPT];
	if (slot->dwarf != search.dwarf || slot->die != offset) {
		if (!read_die(&search, offset, &origin))
			return read_names(names, own, die);
		*slot = read_names(names, search, &origin);
	}
	return *slot;
}

int function_names_open(struct function_names *names, struct name_pool *pool)
{
	names->pool = pool;
	names->kept = calloc(FUNCTION_NAMES_KEPT, sizeof(*names->kept));
	return names->kept ? 0 : PARSER_FAILED;
}

void function_names_close(struct function_names *names)
{
	free(names->kept);
	*names = (struct function_names){0};
}
