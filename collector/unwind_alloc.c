/* SPDX-License-Identifier: Apache-2.0 */
/* unwind_alloc - allocates runs of units for unwind tables, first fit */

#include "collector/unwind_alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { /* of a unit */
	FREE,
	LEAVING,
	TAKEN
};

int unwind_alloc_init(struct unwind_alloc *alloc, uint32_t limit, struct unwind_alloc_kernel kernel)
{
	*alloc = (struct unwind_alloc){.kernel = kernel, .limit = limit};
	alloc->state = calloc(limit, sizeof(*alloc->state));
	return alloc->state ? 0 : -ENOMEM;
}

static void drop_chunk(struct unwind_alloc *alloc, uint32_t index)
{
	alloc->kernel.drop(alloc->kernel.context, index, alloc->chunks[index]);
	alloc->chunks[index] = NULL;
}

void unwind_alloc_deinit(struct unwind_alloc *alloc)
{
	for (uint32_t i = 0; i < TM_UNWIND_CHUNKS_MAX; i++)
		if (alloc->chunks[i])
			drop_chunk(alloc, i);
	free(alloc->state);
	*alloc = (struct unwind_alloc){0};
}

/* The first run of units in state @most or below. Return: its first; the limit: there is none. */
static uint32_t find(const struct unwind_alloc *alloc, uint32_t count, uint8_t most)
{
	uint32_t run = 0;

	for (uint32_t at = 0; at < alloc->limit; at++) {
		run = alloc->state[at] <= most ? run + 1 : 0;
		if (run == count)
			return at + 1 - count;
	}
	return alloc->limit;
}

static void take(struct unwind_alloc *alloc, uint32_t first, uint32_t count)
{
	for (uint32_t at = first; at < first + count; at++)
		alloc->chunk_taken[at / TM_UNWIND_UNITS_CHUNK]++;
	memset(alloc->state + first, TAKEN, count);
	alloc->taken += count;
}

bool unwind_alloc_will_fit(const struct unwind_alloc *alloc, uint32_t count)
{
	return find(alloc, count, LEAVING) < alloc->limit;
}

int unwind_alloc_take(struct unwind_alloc *alloc, uint32_t count, uint32_t *ret_first)
{
	uint32_t first = find(alloc, count, FREE);

	if (first == alloc->limit)
		return UNWIND_ALLOC_E_FULL;
	alloc->missing = first / TM_UNWIND_UNITS_CHUNK;
	for (; alloc->missing <= (first + count - 1) / TM_UNWIND_UNITS_CHUNK; alloc->missing++)
		if (!alloc->chunks[alloc->missing])
			return UNWIND_ALLOC_E_CHUNK;
	take(alloc, first, count);
	*ret_first = first;
	return 0;
}

int unwind_alloc_adopt(struct unwind_alloc *alloc, uint32_t first, uint32_t count,
		       int (*adopt)(void *context, uint32_t index, void **ret_memory))
{
	uint32_t last = first + count - 1;

	if (count == 0 || last < first || last >= alloc->limit)
		return -EINVAL;
	for (uint32_t chunk = first / TM_UNWIND_UNITS_CHUNK; chunk <= last / TM_UNWIND_UNITS_CHUNK;
	     chunk++) {
		void *memory = alloc->chunks[chunk];
		int r = memory ? 0 : adopt(alloc->kernel.context, chunk, &memory);

		if (r < 0)
			return r;
		alloc->chunks[chunk] = memory;
	}
	for (uint32_t at = first; at <= last; at++)
		if (alloc->state[at] != FREE)
			return -EINVAL;
	take(alloc, first, count);
	return 0;
}

int unwind_alloc_grow(struct unwind_alloc *alloc)
{
	void *memory = NULL;
	int r = alloc->kernel.make(alloc->kernel.context, alloc->missing, &memory);

	if (r == 0)
		alloc->chunks[alloc->missing] = memory;
	return r;
}

void unwind_alloc_shrink(struct unwind_alloc *alloc)
{
	for (uint32_t i = 0; i < TM_UNWIND_CHUNKS_MAX; i++)
		if (alloc->chunks[i] && alloc->chunk_taken[i] == 0) {
			drop_chunk(alloc, i);
			return;
		}
}

void unwind_alloc_leave(struct unwind_alloc *alloc, uint32_t first, uint32_t count)
{
	memset(alloc->state + first, LEAVING, count);
}

void unwind_alloc_free(struct unwind_alloc *alloc, uint32_t first, uint32_t count)
{
	memset(alloc->state + first, FREE, count);
	alloc->taken -= count;
	for (uint32_t at = first; at < first + count; at++)
		alloc->chunk_taken[at / TM_UNWIND_UNITS_CHUNK]--;
}

void *unwind_alloc_at(const struct unwind_alloc *alloc, uint32_t unit)
{
	return alloc->chunks[unit / TM_UNWIND_UNITS_CHUNK] +
	       unit % TM_UNWIND_UNITS_CHUNK * TM_UNWIND_UNIT_BYTES;
}
