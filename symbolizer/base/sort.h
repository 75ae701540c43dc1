/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * sort - stable merge sort of an array of indices
 *
 * Why not qsort: its order among equals is unspecified, and with many elements the C library asks
 * the kernel for the size of memory, a system call that the filter would have to allow for it.
 */

#include <stdint.h>

/* Return: < 0, 0 or > 0, as a comes before, with or after b. */
typedef int (*sort_compare_fn)(uint32_t a, uint32_t b, const void *context);

/* Sorts indices[0 .. count). scratch: room for count. */
void sort_indices(uint32_t *indices, uint32_t *scratch, uint32_t count, sort_compare_fn compare,
		  const void *context);
/* 0, 1, ... count - 1, sorted. Return: heap array (free it), or NULL without memory. */
uint32_t *sort_new(uint32_t count, sort_compare_fn compare, const void *context);

static inline int sort_by_number(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}
