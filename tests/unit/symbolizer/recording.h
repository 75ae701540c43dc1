/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * recording - the tables of one recording, which tests make and free together
 */

#include <string.h>

#include "symbolizer/names/symbol_store.h"
#include "symbolizer/profile/aggregate.h"

#define RECORDING_BYTES (64ull << 20)

struct recording {
	struct budget budget;
	struct hash_seed seed;
	struct strings strings;
	struct process_table processes;
	struct files files;
	struct methods methods;
	struct symbol_store store;
	struct aggregate aggregate;
	struct tm_retire_queue queue;
};

static inline int recording_make(struct recording *recording)
{
	memset(recording, 0, sizeof(*recording)); /* too large for a second one on the stack */
	recording->budget.limit = RECORDING_BYTES;
	if (hash_seed_init(&recording->seed) < 0 ||
	    strings_init(&recording->strings, &recording->budget, &recording->seed))
		return -1;
	files_init(&recording->files, &recording->strings, &recording->budget, &recording->queue);
	methods_init(&recording->methods, &recording->processes, &recording->budget,
		     &recording->queue);
	if (symbol_store_init(&recording->store, RECORDING_BYTES, &recording->seed) < 0)
		return -1;
	process_table_init(&recording->processes, &recording->strings, &recording->budget,
			   &recording->queue);
	aggregate_init(&recording->aggregate, &recording->strings, &recording->processes,
		       &recording->files, &recording->methods);
	return 0;
}

/* Return: 0 when every byte was given back to the budget. */
static inline int recording_end(struct recording *recording)
{
	aggregate_deinit(&recording->aggregate);
	files_deinit(&recording->files);
	methods_deinit(&recording->methods);
	symbol_store_deinit(&recording->store);
	process_table_deinit(&recording->processes);
	strings_deinit(&recording->strings);
	tm_retire_deinit(&recording->queue);
	return recording->budget.used == 0 && recording->store.budget.used == 0 ? 0 : -1;
}

static inline const char *recording_text(const struct recording *recording, uint32_t string)
{
	return recording->strings.items[string];
}

/* @fresh is what the tables have moved their strings to. */
static inline void recording_take_strings(struct recording *recording, const struct strings *fresh)
{
	strings_deinit(&recording->strings);
	recording->strings = *fresh;
	recording->processes.strings = &recording->strings;
	recording->files.strings = &recording->strings;
}

/*
 * Forgets what was reported and moves the rest to new strings, as the session does. Return: 0, -1.
 */
static inline int recording_forget(struct recording *recording)
{
	struct strings fresh;

	aggregate_deinit(&recording->aggregate);
	if (strings_init(&fresh, &recording->budget, &recording->seed))
		return -1;
	process_forget(&recording->processes, &fresh);
	files_forget(&recording->files, &fresh);
	methods_forget(&recording->methods);
	recording_take_strings(recording, &fresh);
	return 0;
}
