/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * search - binary search in anything that is sorted by a number
 */

#include <stdbool.h>
#include <stdint.h>

/* Whether element @index lies at or behind @key; in a sorted list, so do all elements after it. */
typedef bool (*search_fn)(const void *list, uint32_t index, uint64_t key);

/* Return: the first of @count elements that lies at or behind @key; @count: none does. */
static inline uint32_t search_first(const void *list, uint32_t count, uint64_t key,
				    search_fn is_behind)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (is_behind(list, middle, key))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* @is_behind: whether an element lies behind @key. Return: the last one that does not; 0: none. */
static inline uint32_t search_last(const void *list, uint32_t count, uint64_t key,
				   search_fn is_behind)
{
	uint32_t behind = search_first(list, count, key, is_behind);

	return behind ? behind - 1 : 0;
}
