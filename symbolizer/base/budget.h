/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * budget - limits the bytes of everything that the symbolizer keeps
 *
 * Memory is charged before it is allocated. A failed allocation is reported as a spent budget too,
 * so that both end the same way.
 *
 * Total      one for the whole program, in named shares: each has a part of it that nobody else
 *            can take and a limit of its own; what lies between goes to whoever comes first. The
 *            caches give way: before a charge for something else fails, `reclaim` is called, which
 *            frees what can be made again.
 * Threads    a budget belongs to one thread at a time. The total's lock is held for an addition,
 *            and never while `reclaim` runs.
 */

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/memory_share.h"

#define BUDGET_TOTAL_BYTES (448ull << 20) /* where nothing else is asked for */

enum {
	BUDGET_E_SPENT = 1,
};

struct budget_part {
	uint64_t reserved;
	uint64_t limit; /* 0: that of the total */
	uint64_t used, peak;
	uint64_t refused; /* charges */
};

/* Frees what it can of about @bytes. */
typedef void (*budget_reclaim_fn)(void *context, uint64_t bytes);

struct budget_total {
	pthread_mutex_t lock;
	uint64_t limit;
	uint64_t committed; /* of each share what is reserved, or what it uses beyond that */
	uint64_t used, peak;
	struct budget_part parts[TM_MEMORY_N];
	budget_reclaim_fn reclaim; /* NULL: nothing */
	void *context;
};
/* Without shares: each may take all. */
#define BUDGET_TOTAL_INIT(bytes)                                    \
	{                                                           \
		.lock = PTHREAD_MUTEX_INITIALIZER, .limit = (bytes) \
	}

struct budget {
	uint64_t limit;
	uint64_t used;
	struct budget_total *total; /* borrowed: also charged; NULL: none */
	enum tm_memory_share share; /* of it */
};

/* What @bytes take as a mapping of their own. */
static inline uint64_t budget_pages(uint64_t bytes)
{
	return (bytes + 4095) & ~4095ull;
}

/* Divides a total into its shares, before anything is charged. */
void budget_divide(struct budget_total *total);
/* What is charged to @share at most. */
uint64_t budget_limit(const struct budget_total *total, enum tm_memory_share share);
/* Writes what the shares took at most, and what they were refused. */
void budget_fill_result(struct budget_total *total, struct tm_result *result);
/* What could be charged now, without what the caches may give way. */
uint64_t budget_left(const struct budget *budget);
/* Charges @bytes. Return: 0, BUDGET_E_SPENT. */
int budget_take(struct budget *budget, uint64_t bytes);
/*
 * Charges as much of @most as fits, and no less than @least.
 * Return: 0, BUDGET_E_SPENT.
 */
int budget_take_some(struct budget *budget, uint64_t least, uint64_t most, uint64_t *ret_bytes);
/* Returns @bytes that were charged. */
void budget_give(struct budget *budget, uint64_t bytes);
/*
 * What the budgets have charged, and what they will, goes to @share from now on.
 * Return: 0, BUDGET_E_SPENT: nothing has changed.
 */
int budget_move(struct budget *const *budgets, unsigned count, enum tm_memory_share share);
/*
 * Grows the array @items to at least @need items; the new ones are zero.
 * Return: 0, BUDGET_E_SPENT (the array is unchanged).
 */
int budget_grow(struct budget *budget, void *items, uint32_t *capacity, uint32_t need,
		size_t item_bytes);
/* Gives back what an array of @count items does not need. */
void budget_shrink(struct budget *budget, void *items, uint32_t *capacity, uint32_t count,
		   size_t item_bytes);
/* Frees such an array and returns its bytes to the budget. */
void budget_drop(struct budget *budget, void *items, uint32_t *capacity, size_t item_bytes);
