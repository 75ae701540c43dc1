/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget - limits the bytes of everything that the symbolizer keeps
 */

#include "symbolizer/base/budget.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define GROW_FIRST 64u

#define PARTS      64u

/* In parts of the total: what nobody else can take, and what it takes at most. */
static const struct {
	uint64_t reserved, limit;
} shares[TM_MEMORY_N] = {
	[TM_MEMORY_PROFILE] = {12, 24},
	[TM_MEMORY_REPORT] = {20, 60}, /* more than a full profile, which must always fit */
	[TM_MEMORY_ORDER] = {2, 16},
	[TM_MEMORY_SYMBOLS] = {4, 40},
	[TM_MEMORY_LINES] = {1, 16},
	[TM_MEMORY_DEMANGLED] = {1, 2},
	[TM_MEMORY_CACHE_QUEUE] = {1, 8},
	[TM_MEMORY_WORKERS] = {6, 22},
};

static bool fits(uint64_t limit, uint64_t used, uint64_t bytes)
{
	return used <= limit && bytes <= limit - used;
}

/* --- the total -------------------------------------------------------------------------------- */

static bool is_cache(enum tm_memory_share share)
{
	return share == TM_MEMORY_SYMBOLS || share == TM_MEMORY_LINES ||
	       share == TM_MEMORY_DEMANGLED || share == TM_MEMORY_CACHE_QUEUE;
}

void budget_divide(struct budget_total *total)
{
	total->committed = 0;
	for (unsigned i = 0; i < TM_MEMORY_N; i++) {
		total->parts[i].reserved = total->limit / PARTS * shares[i].reserved;
		total->parts[i].limit = total->limit / PARTS * shares[i].limit;
		total->committed += total->parts[i].reserved;
	}
}

uint64_t budget_limit(const struct budget_total *total, enum tm_memory_share share)
{
	return total->parts[share].limit ? total->parts[share].limit : total->limit;
}

void budget_fill_result(struct budget_total *total, struct tm_result *result)
{
	(void)pthread_mutex_lock(&total->lock);
	result->memory_limit = total->limit;
	result->memory_peak = total->peak;
	for (unsigned i = 0; i < TM_MEMORY_N; i++) {
		result->memory_peaks[i] = total->parts[i].peak;
		result->memory_refused[i] = total->parts[i].refused;
	}
	(void)pthread_mutex_unlock(&total->lock);
}

static uint64_t committed(const struct budget_part *part, uint64_t used)
{
	return used > part->reserved ? used : part->reserved;
}

/* Under the lock. */
static void set_used(struct budget_total *total, struct budget_part *part, uint64_t used)
{
	total->committed -= committed(part, part->used);
	total->committed += committed(part, used);
	total->used -= part->used;
	total->used += used;
	part->used = used;
	part->peak = part->peak < used ? used : part->peak;
	total->peak = total->peak < total->used ? total->used : total->peak;
}

/* Under the lock. Return: whether @bytes more of the share fit into its limit and the total. */
static bool fits_total(const struct budget_total *total, enum tm_memory_share share, uint64_t bytes)
{
	const struct budget_part *part = &total->parts[share];

	return fits(budget_limit(total, share), part->used, bytes) &&
	       fits(total->limit, total->committed - committed(part, part->used),
		    committed(part, part->used + bytes));
}

/* What is left for the share; without what the caches may give way. */
static uint64_t left_for(struct budget_total *total, enum tm_memory_share share)
{
	const struct budget_part *part = &total->parts[share];
	uint64_t own, all;

	(void)pthread_mutex_lock(&total->lock);
	own = budget_limit(total, share);
	all = total->limit - (total->committed - committed(part, part->used));
	own = own < all ? own : all;
	own = own > part->used ? own - part->used : 0;
	(void)pthread_mutex_unlock(&total->lock);
	return own;
}

static int try_total(struct budget_total *total, enum tm_memory_share share, uint64_t bytes)
{
	bool taken;

	(void)pthread_mutex_lock(&total->lock);
	taken = fits_total(total, share, bytes);
	if (taken)
		set_used(total, &total->parts[share], total->parts[share].used + bytes);
	(void)pthread_mutex_unlock(&total->lock);
	return taken ? 0 : BUDGET_E_SPENT;
}

static int take_of_total(struct budget_total *total, enum tm_memory_share share, uint64_t bytes)
{
	int r = try_total(total, share, bytes);

	if (r && total->reclaim && !is_cache(share) && bytes <= budget_limit(total, share)) {
		total->reclaim(total->context, bytes);
		r = try_total(total, share, bytes);
	}
	if (r) {
		(void)pthread_mutex_lock(&total->lock);
		total->parts[share].refused++;
		(void)pthread_mutex_unlock(&total->lock);
	}
	return r;
}

/* --- one budget ------------------------------------------------------------------------------- */

int budget_take(struct budget *budget, uint64_t bytes)
{
	if (!fits(budget->limit, budget->used, bytes) ||
	    (budget->total && take_of_total(budget->total, budget->share, bytes)))
		return BUDGET_E_SPENT;
	budget->used += bytes;
	return 0;
}

uint64_t budget_left(const struct budget *budget)
{
	const uint64_t own = budget->limit > budget->used ? budget->limit - budget->used : 0;
	const uint64_t left = budget->total ? left_for(budget->total, budget->share) : own;

	return own < left ? own : left;
}

int budget_take_some(struct budget *budget, uint64_t least, uint64_t most, uint64_t *ret_bytes)
{
	uint64_t bytes = budget_left(budget);

	bytes = bytes < most ? bytes : most;
	bytes = bytes > least ? bytes : least;
	/* Another thread may have taken some of it meanwhile. */
	if (budget_take(budget, bytes)) {
		if (bytes == least || budget_take(budget, least))
			return BUDGET_E_SPENT;
		bytes = least;
	}
	*ret_bytes = bytes;
	return 0;
}

void budget_give(struct budget *budget, uint64_t bytes)
{
	struct budget_total *total = budget->total;

	bytes = bytes < budget->used ? bytes : budget->used;
	budget->used -= bytes;
	if (!total)
		return;
	(void)pthread_mutex_lock(&total->lock);
	set_used(total, &total->parts[budget->share], total->parts[budget->share].used - bytes);
	(void)pthread_mutex_unlock(&total->lock);
}

int budget_move(struct budget *const *budgets, unsigned count, enum tm_memory_share share)
{
	struct budget_total *total = budgets[0]->total;
	enum tm_memory_share from = budgets[0]->share;
	uint64_t bytes = 0;
	bool fit;

	for (unsigned i = 0; i < count; i++)
		bytes += budgets[i]->used;
	(void)pthread_mutex_lock(&total->lock);
	set_used(total, &total->parts[from], total->parts[from].used - bytes);
	fit = fits_total(total, share, bytes);
	if (!fit)
		share = from;
	set_used(total, &total->parts[share], total->parts[share].used + bytes);
	(void)pthread_mutex_unlock(&total->lock);
	for (unsigned i = 0; i < count; i++)
		budgets[i]->share = share;
	return fit ? 0 : BUDGET_E_SPENT;
}

/* --- arrays ----------------------------------------------------------------------------------- */

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
