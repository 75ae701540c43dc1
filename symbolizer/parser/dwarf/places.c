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

static uint32_t first_at(const struct places *places, struct place_range within, uint64_t vaddr)
{
	return within.first + search_first(places->vaddrs + within.first, within.end - within.first,
					   vaddr, is_behind);
}

struct place_range places_in_range(const struct places *places, struct place_range within,
				   const struct ranges *ranges)
{
	struct place_range found = {0};

	if (!ranges->start || within.first == within.end ||
	    places->vaddrs[within.first] >= ranges->end ||
	    places->vaddrs[within.end - 1] < ranges->start)
		return found;
	found.first = first_at(places, within, ranges->start);
	found.end = within.end;
	/* No more places than bytes: they are distinct. */
	if (found.end - found.first > ranges->end - ranges->start)
		found.end = found.first + (uint32_t)(ranges->end - ranges->start);
	found.end = first_at(places, found, ranges->end);
	return found;
}
