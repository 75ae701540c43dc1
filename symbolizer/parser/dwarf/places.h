/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * places - the requested addresses, and which of them the ranges of a DIE hold
 */

#include "symbolizer/parser/dwarf/ranges.h"

struct places {
	const uint64_t *vaddrs; /* borrowed; ascending */
	uint32_t count;
};

/* Some that follow each other; none: first == end. */
struct place_range {
	uint32_t first, end;
};

/* Those of @within that the current range holds. A range at 0 is of a function that the linker has
 * discarded. */
struct place_range places_in_range(const struct places *places, struct place_range within,
				   const struct ranges *ranges);
