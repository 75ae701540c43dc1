/* SPDX-License-Identifier: Apache-2.0 */
/* sort - stable merge sort of an array of indices */

#include "symbolizer/base/sort.h"

#include <stdlib.h>
#include <string.h>

#include "shared/cleanup.h"

static void merge(const uint32_t *from, uint32_t *to, uint32_t left, uint32_t middle,
		  uint32_t right, sort_compare_fn compare, const void *context)
{
	uint32_t a = left;
	uint32_t b = middle;

	for (uint32_t at = left; at < right; at++) {
		if (a < middle && (b >= right || compare(from[a], from[b], context) <= 0))
			to[at] = from[a++];
		else
			to[at] = from[b++];
	}
}

/* Merges bottom-up: there is no recursion whose depth would depend on the input. */
void sort_indices(uint32_t *indices, uint32_t *scratch, uint32_t count, sort_compare_fn compare,
		  const void *context)
{
	uint32_t *from = indices;
	uint32_t *to = scratch;

	for (uint64_t width = 1; width < count; width *= 2) {
		uint32_t *other = from;

		for (uint64_t left = 0; left < count; left += 2 * width) {
			uint64_t middle = left + width < count ? left + width : count;
			uint64_t right = middle + width < count ? middle + width : count;

			merge(from, to, (uint32_t)left, (uint32_t)middle, (uint32_t)right, compare,
			      context);
		}
		from = to;
		to = other;
	}
	if (from != indices)
		memcpy(indices, from, sizeof(*indices) * count);
}

uint32_t *sort_new(uint32_t count, sort_compare_fn compare, const void *context)
{
	_cleanup_(tm_freep) uint32_t *indices = malloc(sizeof(*indices) * ((size_t)count + 1));
	_cleanup_(tm_freep) uint32_t *scratch = malloc(sizeof(*scratch) * ((size_t)count + 1));

	if (!indices || !scratch)
		return NULL;
	for (uint32_t i = 0; i < count; i++)
		indices[i] = i;
	sort_indices(indices, scratch, count, compare, context);
	return TM_TAKE_PTR(indices);
}
