/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * jit_names - names of anonymous code in one report, by process generation
 *
 * The last version of each generation's perf map (perf_maps.h) stays pinned until the report ends;
 * where it could not be read, that before it does. Two generations never share a name: an address
 * means nothing without its generation.
 */

#include "symbolizer/names/symbol_store.h"
#include "symbolizer/profile/aggregate.h"

struct jit_names_map {
	uint32_t process; /* index of the generation */
	struct symbol_store_pin pin;
};

struct jit_names {
	struct jit_names_map *maps; /* ascending by process */
	uint32_t count, capacity;
	const struct process_table *processes; /* borrowed, as are the next two */
	struct symbol_store *store;
	struct budget *budget;
};

void jit_names_init(struct jit_names *names, struct budget *budget, struct symbol_store *store);
void jit_names_deinit(struct jit_names *names);
/* Collects the generations that have anonymous frames and a map. Return: 0, BUDGET_E_SPENT. */
int jit_names_collect(struct jit_names *names, const struct aggregate *aggregate);
/* The identity of map @at in the store. */
struct tm_identity jit_names_identity(const struct jit_names *names, uint32_t at);
/* Pins the maps. */
void jit_names_resolve(struct jit_names *names);
/*
 * The function at @address, of a call and not of its return. Return: its name, not cleaned; NULL,
 * with the reason.
 */
const char *jit_names_find(const struct jit_names *names, uint32_t process, uint64_t address,
			   enum tm_unnamed *ret_reason);
