/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jit_names - names of anonymous code in one report, by process generation
 */

#include "symbolizer/names/jit_names.h"

#include <stdlib.h>

#include "shared/search.h"
#include "symbolizer/names/perf_maps.h"

void jit_names_init(struct jit_names *names, struct budget *budget, struct symbol_store *store)
{
	*names = (struct jit_names){.budget = budget, .store = store};
}

void jit_names_deinit(struct jit_names *names)
{
	for (uint32_t i = 0; i < names->count; i++)
		symbol_store_unpin(names->store, &names->maps[i].pin);
	budget_drop(names->budget, &names->maps, &names->capacity, sizeof(*names->maps));
	names->count = 0;
}

static int add_map(struct jit_names *names, uint32_t process)
{
	if (budget_grow(names->budget, &names->maps, &names->capacity, names->count + 1,
			sizeof(*names->maps)))
		return BUDGET_E_SPENT;
	names->maps[names->count++] = (struct jit_names_map){
		.process = process,
		.pin = {.entry = SYMBOL_STORE_NO_ENTRY, .reason = TM_UNNAMED_PENDING},
	};
	return 0;
}

int jit_names_collect(struct jit_names *names, const struct aggregate *aggregate)
{
	const struct process_table *processes = aggregate->processes;
	uint8_t *seen = calloc(processes->count + 1ull, sizeof(*seen));
	int r = seen ? 0 : BUDGET_E_SPENT;

	names->processes = processes;
	for (uint32_t i = 0; !r && i < aggregate->stack_count; i++)
		if (aggregate->stacks[i].process != AGGREGATE_NO_PROCESS)
			seen[aggregate->stacks[i].process] = 1;
	for (uint32_t i = 0; !r && i < processes->count; i++)
		if (seen[i] && processes->items[i].map_version)
			r = add_map(names, i);
	free(seen);
	return r;
}

struct tm_identity jit_names_identity(const struct jit_names *names, uint32_t at)
{
	const struct process *process = &names->processes->items[names->maps[at].process];

	return perf_maps_identity(process, process->map_version);
}

void jit_names_resolve(struct jit_names *names)
{
	for (uint32_t i = 0; i < names->count; i++) {
		struct symbol_store_pin *pin = &names->maps[i].pin;
		struct tm_identity identity = jit_names_identity(names, i);
		enum tm_unnamed reason;

		symbol_store_pin(names->store, &identity, pin);
		if (pin->entry != SYMBOL_STORE_NO_ENTRY || --identity.generation == 0)
			continue;
		reason = pin->reason;
		symbol_store_pin(names->store, &identity, pin);
		pin->reason = reason;
	}
}

static bool is_behind(const void *maps, uint32_t index, uint64_t process)
{
	return ((const struct jit_names_map *)maps)[index].process >= process;
}

const char *jit_names_find(const struct jit_names *names, uint32_t process, uint64_t address,
			   enum tm_unnamed *ret_reason)
{
	uint32_t at = search_first(names->maps, names->count, process, is_behind);
	const struct parser_symbol *symbol;
	const struct jit_names_map *map;

	if (at == names->count || names->maps[at].process != process) {
		uint8_t refused = names->processes ? names->processes->items[process].map_refused
						   : TM_NO_FILE_UNANSWERED;

		*ret_reason = refused == TM_NO_FILE_UNANSWERED || refused == TM_NO_FILE_GONE
				      ? TM_UNNAMED_ANONYMOUS
				      : TM_UNNAMED_MAP_REFUSED;
		return NULL;
	}
	map = &names->maps[at];
	*ret_reason = map->pin.reason;
	if (map->pin.entry == SYMBOL_STORE_NO_ENTRY)
		return NULL;
	*ret_reason = TM_UNNAMED_NO_SYMBOL;
	symbol = symbol_table_find(&map->pin.table, address);
	return symbol && *symbol_table_name(&map->pin.table, symbol)
		       ? symbol_table_name(&map->pin.table, symbol)
		       : NULL;
}
