/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interval - what was sampled since the last report, closed and handed over as a whole
 */

#include "symbolizer/profile/interval.h"

#include <stdlib.h>
#include <string.h>

struct interval *interval_open(struct budget_total *total, const struct hash_seed *seed,
			       struct process_table *processes, struct files *files)
{
	struct interval *interval = calloc(1, sizeof(*interval));

	if (!interval)
		return NULL;
	interval->budget = (struct budget){
		.limit = UINT64_MAX,
		.total = total,
		.beyond = INTERVAL_FIRST_BYTES,
	};
	if (strings_init(&interval->strings, &interval->budget, seed)) {
		strings_deinit(&interval->strings);
		free(interval);
		return NULL;
	}
	aggregate_init(&interval->aggregate, &interval->strings, processes, files);
	return interval;
}

/* @items: the entries of a live table. Return: 0, BUDGET_E_SPENT. */
static int copy(struct budget *budget, void *ret_copy, uint32_t *ret_capacity, const void *items,
		uint32_t count, size_t item_bytes)
{
	void **array = ret_copy;

	if (budget_grow(budget, ret_copy, ret_capacity, count, item_bytes))
		return BUDGET_E_SPENT;
	if (count)
		memcpy(*array, items, count * item_bytes);
	return 0;
}

static void drop_copies(struct interval *interval)
{
	budget_drop(&interval->budget, &interval->processes.items, &interval->processes.capacity,
		    sizeof(*interval->processes.items));
	budget_drop(&interval->budget, &interval->files.items, &interval->files.capacity,
		    sizeof(*interval->files.items));
}

/* Descriptors stay with the live table. */
static int copy_tables(struct interval *interval)
{
	const struct process_table *processes = interval->aggregate.processes;
	const struct files *files = interval->aggregate.files;

	if (copy(&interval->budget, &interval->processes.items, &interval->processes.capacity,
		 processes->items, processes->count, sizeof(*processes->items)) ||
	    copy(&interval->budget, &interval->files.items, &interval->files.capacity, files->items,
		 files->count, sizeof(*files->items)))
		return BUDGET_E_SPENT;
	interval->processes.count = processes->count;
	interval->processes.strings = &interval->strings;
	interval->files.count = files->count;
	interval->files.strings = &interval->strings;
	for (uint32_t i = 0; i < files->count; i++)
		interval->files.items[i].fd = -1;
	return 0;
}

int interval_close(struct interval *interval, struct interval *next)
{
	interval->budget.beyond = INTERVAL_REPORT_BYTES;
	if (copy_tables(interval)) {
		drop_copies(interval);
		interval->budget.beyond = INTERVAL_FIRST_BYTES;
		return BUDGET_E_SPENT;
	}
	process_forget(interval->aggregate.processes, &next->strings);
	files_forget(interval->aggregate.files, &next->strings);
	interval->aggregate.processes = &interval->processes;
	interval->aggregate.files = &interval->files;
	return 0;
}

struct interval *interval_free(struct interval *interval)
{
	if (!interval)
		return NULL;
	aggregate_deinit(&interval->aggregate);
	drop_copies(interval);
	strings_deinit(&interval->strings);
	free(interval);
	return NULL;
}
