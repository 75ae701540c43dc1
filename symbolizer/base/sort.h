/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * sort - stable merge sort of an array of indices
 *
 * qsort(3) is not used: its order among equal elements is unspecified, and for large arrays glibc
 * asks the kernel for the size of memory, a system call that the seccomp filter does not allow.
 */

#include <stdint.h>

/* Return: < 0, 0 or > 0 if @a comes before, is equal to or comes after @b. */
typedef int (*sort_compare_fn)(uint32_t a, uint32_t b, const void *context);

/* Sorts @count elements of @indices. @scratch: an array of the same size. */
void sort_indices(uint32_t *indices, uint32_t *scratch, uint32_t count, sort_compare_fn compare,
		  const void *context);
/* Return: an array of 0 to count - 1, sorted, which the caller frees; NULL: out of memory. */
uint32_t *sort_new(uint32_t count, sort_compare_fn compare, const void *context);

static inline int sort_by_number(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}
