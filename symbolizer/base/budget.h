/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * budget - limits the bytes of everything that is kept for the profile
 *
 * Memory is charged before it is allocated. A failed allocation is reported as a spent budget too,
 * so that both end in the same counted drop (`memory`).
 */

#include <stddef.h>
#include <stdint.h>

#define BUDGET_PROFILE_BYTES (224ull << 20) /* for strings, stacks, samples, generations, files */

enum {
	BUDGET_E_SPENT = 1,
};

struct budget {
	uint64_t limit;
	uint64_t used;
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
/* Frees such an array and returns its bytes to the budget. */
void budget_drop(struct budget *budget, void *items, uint32_t *capacity, size_t item_bytes);
