/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * world - the tables of one recording, made and ended together, for tests
 */

#include <string.h>

#include "symbolizer/names/symbol_cache.h"
#include "symbolizer/profile/aggregate.h"

#define WORLD_BYTES (64ull << 20)

struct world {
	struct budget budget;
	struct hash_seed seed;
	struct strings strings;
	struct process_table processes;
	struct files files;
	struct symbol_cache_store symbols;
	struct aggregate aggregate;
	struct tm_retire_queue queue;
};

static inline int world_make(struct world *world)
{
	memset(world, 0, sizeof(*world)); /* too large for a second one on the stack */
	world->budget.limit = WORLD_BYTES;
	if (hash_seed_init(&world->seed) < 0 ||
	    strings_init(&world->strings, &world->budget, &world->seed) ||
	    files_init(&world->files, &world->strings, &world->queue) < 0)
		return -1;
	symbol_cache_store_init(&world->symbols, &world->files);
	process_table_init(&world->processes, &world->strings, &world->queue);
	aggregate_init(&world->aggregate, &world->strings, &world->processes, &world->files);
	return 0;
}

/* Return: 0 when every byte was given back to the budget. */
static inline int world_end(struct world *world)
{
	aggregate_deinit(&world->aggregate);
	files_deinit(&world->files);
	symbol_cache_store_deinit(&world->symbols);
	process_table_deinit(&world->processes);
	strings_deinit(&world->strings);
	tm_retire_deinit(&world->queue);
	return world->budget.used == 0 ? 0 : -1;
}

static inline const char *world_text(const struct world *world, uint32_t string)
{
	return world->strings.items[string];
}

/*
 * Everything was reported: what is kept moves to new strings, as the session has it. Return: 0, -1.
 */
static inline int world_forget(struct world *world)
{
	struct strings fresh;

	aggregate_deinit(&world->aggregate);
	if (strings_init(&fresh, &world->budget, &world->seed))
		return -1;
	process_forget(&world->processes, &fresh);
	files_forget(&world->files, &fresh);
	strings_deinit(&world->strings);
	world->strings = fresh;
	return 0;
}
