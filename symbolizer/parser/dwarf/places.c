/* SPDX-License-Identifier: Apache-2.0 */
/*
 * places - the requested addresses, and which of them the ranges of a DIE hold
 */

#include "symbolizer/parser/dwarf/places.h"

#include "shared/search.h"

static bool is_behind(const void *list, uint32_t index, uint64_t key)
{
	return ((const uint64_t *)list)[index] >= key;
}

bool places_in_die(const struct places *places, Dwarf_Die *die, places_fn take, void *context,
		   bool *ret_has_ranges)
{
	Dwarf_Addr base, start, end;
	bool any = false, has_ranges = false;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		uint32_t place;

		has_ranges = true;
		if (!start)
			continue;
		place = search_first(places->vaddrs, places->count, start, is_behind);
		for (; place < places->count && places->vaddrs[place] < end; place++) {
			take(context, place);
			any = true;
		}
	}
	if (ret_has_ranges)
		*ret_has_ranges = has_ranges;
	return any;
}
