/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * budget - one byte budget that everything kept for the profile is charged to
 *
 * Charged before it is allocated; an allocation that fails counts as a spent budget, so that
 * both end in the same counted drop (`memory`).
 */

#include <stddef.h>
#include <stdint.h>

#define BUDGET_PROFILE_BYTES (224ull << 20) /* strings, stacks, samples, generations, files */

enum {
	BUDGET_E_SPENT = 1,
};

struct budget {
	uint64_t limit;
	uint64_t used;
};

/* Return: 0, BUDGET_E_SPENT. */
int budget_take(struct budget *budget, uint64_t bytes);
void budget_give(struct budget *budget, uint64_t bytes);
/*
 * Makes room for at least @need items in a growing array; new items are zero.
 * Return: 0, BUDGET_E_SPENT (the array is unchanged).
 */
int budget_grow(struct budget *budget, void *items, uint32_t *capacity, uint32_t need,
		size_t item_bytes);
/* Frees such an array and gives its bytes back. */
void budget_drop(struct budget *budget, void *items, uint32_t *capacity, size_t item_bytes);
