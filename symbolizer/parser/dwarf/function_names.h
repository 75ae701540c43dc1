/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * function_names - the name and first line of the function that a DIE is of
 *
 * Shape      what is inlined refers to another DIE, which many calls share: its names are kept, by
 *            its offset, in FUNCTION_NAMES_KEPT slots.
 * Limits     FUNCTION_NAMES_HOPS references from one DIE to the next.
 */

#include "symbolizer/parser/dwarf/dwarf.h"
#include "symbolizer/parser/dwarf/name_pool.h"

#define FUNCTION_NAMES_KEPT 8192u
#define FUNCTION_NAMES_HOPS 16u

struct function_name {
	const struct dwarf *dwarf; /* NULL: the slot is free */
	uint64_t die;
	uint32_t name; /* into the pool, PARSER_NO_NAME */
	uint32_t line; /* 0: unknown */
};

struct function_names {
	struct name_pool *pool;     /* borrowed */
	struct function_name *kept; /* owned */
};

/* Return: 0, PARSER_FAILED. */
int function_names_open(struct function_names *names, struct name_pool *pool);
/* The function of a DIE: a linkage name is preferred, wherever a reference leads to it. */
struct function_name function_names_find(struct function_names *names, struct dwarf *dwarf,
					 const struct unit *unit, const struct die *die);
void function_names_close(struct function_names *names);
