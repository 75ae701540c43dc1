/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * budget - limits the bytes of everything that is kept for the profile
 *
 * Memory is charged before it is allocated. A failed allocation is reported as a spent budget too,
 * so that both end in the same counted drop (`memory`).
 *
 * Threads    a budget belongs to one thread at a time. Several may share a total, whose lock is
 *            held for an addition.
 */

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define BUDGET_PROFILE_BYTES (224ull << 20) /* for strings, stacks, samples, generations, files */

enum {
	BUDGET_E_SPENT = 1,
};

struct budget_total {
	pthread_mutex_t lock;
	uint64_t limit;
	uint64_t used;
};
#define BUDGET_TOTAL_INIT(bytes)                                    \
	{                                                           \
		.lock = PTHREAD_MUTEX_INITIALIZER, .limit = (bytes) \
	}

struct budget {
	uint64_t limit;
	uint64_t used;
	struct budget_total *total; /* borrowed: also charged; NULL: none */
	uint64_t beyond;            /* so far its charges may exceed the limit of the total */
};

/* Charges @bytes. Return: 0, BUDGET_E_SPENT. */
int budget_take(struct budget *budget, uint64_t bytes);
/* Returns @bytes that were charged. */
void budget_give(struct budget *budget, uint64_t bytes);
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
