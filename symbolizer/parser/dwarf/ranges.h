/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * ranges - the addresses of a DIE, range by range
 */

#include "symbolizer/parser/dwarf/dwarf.h"

struct ranges {
	struct dwarf *dwarf;
	const struct unit *unit;
	struct debug_section *section; /* of the list; NULL: there is only one range */
	struct cursor cursor;
	uint64_t offset; /* where the cursor ends */
	uint64_t base;
	uint64_t start, end; /* the current range */
	bool has_any;        /* the DIE says where its code is */
	bool is_done;
};

void ranges_open(struct ranges *ranges, struct dwarf *dwarf, const struct unit *unit,
		 const struct die *die);
/* To the next range. Return: whether there is one. */
bool ranges_next(struct ranges *ranges);
