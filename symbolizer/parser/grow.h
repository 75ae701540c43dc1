/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * grow - room for one more in an array that doubles
 */

#include <stdint.h>
#include <stdlib.h>

#define GROW_FIRST 64u /* places, once there are any */

/* Return: the array, NULL: no memory, and it is as it was. */
static inline void *grow(void *array, uint32_t count, uint32_t *room, size_t bytes)
{
	uint32_t wanted = *room ? 2 * *room : GROW_FIRST;
	void *grown;

	if (count < *room)
		return array;
	grown = reallocarray(array, wanted, bytes);
	if (grown)
		*room = wanted;
	return grown;
}
