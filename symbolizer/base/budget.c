/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget - limits the bytes of everything that is kept for the profile
 */

#include "symbolizer/base/budget.h"

#include <stdlib.h>
#include <string.h>

#define GROW_FIRST 64u

int budget_take(struct budget *budget, uint64_t bytes)
{
	if (bytes > budget->limit - budget->used)
		return BUDGET_E_SPENT;
	budget->used += bytes;
	return 0;
}

void budget_give(struct budget *budget, uint64_t bytes)
{
	budget->used -= bytes < budget->used ? bytes : budget->used;
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

void budget_drop(struct budget *budget, void *items, uint32_t *capacity, size_t item_bytes)
{
	void **array = items;

	free(*array);
	*array = NULL;
	budget_give(budget, *capacity * (uint64_t)item_bytes);
	*capacity = 0;
}
