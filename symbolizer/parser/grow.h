/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * grow - makes space for one more element in an array that doubles
 */

#include <stdint.h>
#include <stdlib.h>

#define GROW_FIRST 64u /* elements of the first allocation */

/* Return: the array with space for element @count; NULL when memory is short: it is as it was. */
static inline void *grow(void *array, uint32_t count, uint32_t *capacity, size_t element_bytes)
{
	uint32_t wanted = *capacity ? 2 * *capacity : GROW_FIRST;
	void *grown;

	if (count < *capacity)
		return array;
	grown = reallocarray(array, wanted, element_bytes);
	if (grown)
		*capacity = wanted;
	return grown;
}
