/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget - limits the bytes of everything that is kept for the profile
 */

#include "symbolizer/base/budget.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define GROW_FIRST 64u

static bool fits(uint64_t limit, uint64_t used, uint64_t bytes)
{
	return used <= limit && bytes <= limit - used;
}

static int take_of_total(struct budget_total *total, uint64_t beyond, uint64_t bytes)
{
	bool taken;

	(void)pthread_mutex_lock(&total->lock);
	taken = fits(total->limit + beyond, total->used, bytes);
	if (taken)
		total->used += bytes;
	(void)pthread_mutex_unlock(&total->lock);
	return taken ? 0 : BUDGET_E_SPENT;
}

int budget_take(struct budget *budget, uint64_t bytes)
{
	if (!fits(budget->limit, budget->used, bytes) ||
	    (budget->total && take_of_total(budget->total, budget->beyond, bytes)))
		return BUDGET_E_SPENT;
	budget->used += bytes;
	return 0;
}

void budget_give(struct budget *budget, uint64_t bytes)
{
	bytes = bytes < budget->used ? bytes : budget->used;
	budget->used -= bytes;
	if (!budget->total)
		return;
	(void)pthread_mutex_lock(&budget->total->lock);
	budget->total->used -= bytes;
	(void)pthread_mutex_unlock(&budget->total->lock);
}

int budget_grow(struct budget *budget, void *items, uint32_t *capacity, uint32_t need,
		size_t item_bytes)
{
	void **array = items;
	uint64_t wanted = *capacity ? *capacity : GROW_FIRST;
	uint64_t more;
	uint8_t *grown;

	if (need <= *capacity)
		return 0;
	while (wanted < need)
		wanted *= 2;
	if (wanted > UINT32_MAX)
		return BUDGET_E_SPENT;
	more = (wanted - *capacity) * item_bytes;
	if (budget_take(budget, more))
		return BUDGET_E_SPENT;
	grown = realloc(*array, wanted * item_bytes);
	if (!grown) {
		budget_give(budget, more);
		return BUDGET_E_SPENT;
	}
	memset(grown + *capacity * item_bytes, 0, more);
	*array = grown;
	*capacity = (uint32_t)wanted;
	return 0;
}

void budget_shrink(struct budget *budget, void *items, uint32_t *capacity, uint32_t count,
		   size_t item_bytes)
{
	void **array = items;
	uint32_t wanted = *capacity;
	void *shrunk;

	while (wanted / 2 > count && wanted / 2 >= GROW_FIRST)
		wanted /= 2;
	shrunk = wanted < *capacity ? realloc(*array, wanted * item_bytes) : NULL;
	if (!shrunk)
		return;
	budget_give(budget, (*capacity - wanted) * (uint64_t)item_bytes);
	*array = shrunk;
	*capacity = wanted;
}

void budget_drop(struct budget *budget, void *items, uint32_t *capacity, size_t item_bytes)
{
	void **array = items;

	free(*array);
	*array = NULL;
	budget_give(budget, *capacity * (uint64_t)item_bytes);
	*capacity = 0;
}
