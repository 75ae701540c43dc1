/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * unit_scopes - finds the functions and inlined calls of one unit that hold requested addresses
 *
 * Shape      one walk over the unit's DIEs in their order; what holds no requested address is
 *            skipped with all that lies in it. If an address is in no function then, a second walk
 *            looks into every function for others within it. A scope's parent is the function or
 *            inlined call around it.
 * Trust      the DIEs are hostile: siblings must ascend, and depth and number are limited. What
 *            lies behind a contradiction is left out and marked.
 * Limits     UNIT_SCOPES_DEPTH of nested DIEs, UNIT_SCOPES_DIES of a file.
 */

#include "symbolizer/parser/dwarf/places.h"
#include "symbolizer/parser/parser.h"

#define UNIT_SCOPES_DEPTH   256u
#define UNIT_SCOPES_DIES    (64u << 20) /* in all units together */

#define UNIT_SCOPES_NONE    0u         /* the place is in no function of this unit */
#define UNIT_SCOPES_IGNORED UINT32_MAX /* it is not in the unit, or its calls are known */

struct scope {
	uint64_t die;    /* its offset */
	uint32_t parent; /* index + 1; 0: it is a function that was not inlined */
	bool is_named;
	struct parser_call call; /* when named: function and start_line its own, file and line those
				    of the place that it is called from */
};

struct unit_scopes {
	const struct places *places; /* borrowed */
	uint32_t *innermost;         /* owned; of each place: index + 1, or as above */
	struct scope *list;          /* owned */
	uint32_t count, capacity;
	uint64_t dies_left;
	bool truncated, malformed;
};

/* Every place is ignored. Return: 0, PARSER_FAILED. */
int unit_scopes_open(struct unit_scopes *scopes, const struct places *places);
/* Replaces `list` by the scopes of a unit that hold the @count places of @wanted, which are
 * ascending and UNIT_SCOPES_NONE. Return: 0, PARSER_FAILED: memory is short. */
int unit_scopes_find(struct unit_scopes *scopes, struct dwarf *dwarf, const struct unit *unit,
		     const uint32_t *wanted, uint32_t count);
void unit_scopes_close(struct unit_scopes *scopes);
