/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interval - what was sampled since the last report, closed and handed over as a whole
 */

#include "symbolizer/profile/interval.h"

#include <stdlib.h>
#include <string.h>

struct interval *interval_open(struct budget_total *total, const struct hash_seed *seed,
			       struct process_table *processes, struct files *files,
			       struct methods *methods)
{
	struct interval *interval = calloc(1, sizeof(*interval));

	if (!interval)
		return NULL;
	interval->budget = (struct budget){
		.limit = budget_limit(total, TM_MEMORY_PROFILE) / INTERVAL_STRINGS_PART,
		.total = total,
		.share = TM_MEMORY_PROFILE,
	};
	interval->counted = interval->budget;
	interval->counted.limit = budget_limit(total, TM_MEMORY_PROFILE) / INTERVAL_COUNTED_PART;
	if (strings_init(&interval->strings, &interval->budget, seed)) {
		strings_deinit(&interval->strings);
		free(interval);
		return NULL;
	}
	aggregate_init(&interval->aggregate, &interval->strings, processes, files, methods);
	aggregate_charge(&interval->aggregate, &interval->counted);
	thread_rows_init(&interval->threads, &interval->budget);
	methods_init(&interval->methods, processes, &interval->budget, /* queue= */ NULL);
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

static void charge_profile(struct interval *interval)
{
	struct budget *const budgets[] = {&interval->budget, &interval->counted};

	/* It was there before, and nobody else takes this share. */
	(void)budget_move(budgets, 2, TM_MEMORY_PROFILE);
	interval->budget.limit =
		budget_limit(interval->budget.total, TM_MEMORY_PROFILE) / INTERVAL_STRINGS_PART;
}

int interval_close_last(struct interval *interval)
{
	struct budget *const budgets[] = {&interval->budget, &interval->counted};

	if (budget_move(budgets, 2, TM_MEMORY_REPORT))
		return BUDGET_E_SPENT;
	interval->budget.limit = UINT64_MAX;
	return 0;
}

int interval_close(struct interval *interval, struct interval **ret_next)
{
	struct aggregate *aggregate = &interval->aggregate;
	struct interval *next;

	if (interval_close_last(interval))
		return BUDGET_E_SPENT;
	next = interval_open(interval->budget.total, interval->strings.seed, aggregate->processes,
			     aggregate->files, aggregate->methods);
	if (!next || copy_tables(interval)) {
		(void)interval_free(next);
		drop_copies(interval);
		charge_profile(interval);
		return BUDGET_E_SPENT;
	}
	next->aggregate.period_ns = aggregate->period_ns;
	methods_copy_sampled(aggregate->methods, &interval->methods);
	process_forget(aggregate->processes, &next->strings);
	files_forget(aggregate->files, &next->strings);
	methods_forget(aggregate->methods);
	aggregate->processes = &interval->processes;
	aggregate->files = &interval->files;
	aggregate->methods = &interval->methods;
	*ret_next = next;
	return 0;
}

struct interval *interval_free(struct interval *interval)
{
	if (!interval)
		return NULL;
	aggregate_deinit(&interval->aggregate);
	thread_rows_deinit(&interval->threads);
	drop_copies(interval);
	methods_deinit(&interval->methods);
	strings_deinit(&interval->strings);
	free(interval);
	return NULL;
}
