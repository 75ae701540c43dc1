/* SPDX-License-Identifier: Apache-2.0 */
/* unwind_alloc - first fit over the units of all chunks */

#include "collector/unwind_alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { /* of a unit */
	FREE,
	LEAVING,
	TAKEN
};

int unwind_alloc_init(struct unwind_alloc *units, uint32_t limit, struct unwind_alloc_kernel kernel)
{
	*units = (struct unwind_alloc){.kernel = kernel, .limit = limit};
	units->state = calloc(limit, sizeof(*units->state));
	return units->state ? 0 : -ENOMEM;
}

static void drop_chunk(struct unwind_alloc *units, uint32_t index)
{
	units->kernel.drop(units->kernel.context, index, units->chunks[index]);
	units->chunks[index] = NULL;
}

void unwind_alloc_deinit(struct unwind_alloc *units)
{
	for (uint32_t i = 0; i < TM_UNWIND_CHUNKS_MAX; i++)
		if (units->chunks[i])
			drop_chunk(units, i);
	free(units->state);
	*units = (struct unwind_alloc){0};
}

/* The first run of units in state @most or below. Return: its first; the limit: there is none. */
static uint32_t find(const struct unwind_alloc *units, uint32_t count, uint8_t most)
{
	uint32_t run = 0;

	for (uint32_t at = 0; at < units->limit; at++) {
		run = units->state[at] <= most ? run + 1 : 0;
		if (run == count)
			return at + 1 - count;
	}
	return units->limit;
}

bool unwind_alloc_will_fit(const struct unwind_alloc *units, uint32_t count)
{
	return find(units, count, LEAVING) < units->limit;
}

int unwind_alloc_take(struct unwind_alloc *units, uint32_t count, uint32_t *ret_first)
{
	uint32_t first = find(units, count, FREE);

	if (first == units->limit)
		return UNWIND_ALLOC_E_FULL;
	units->missing = first / TM_UNWIND_UNITS_CHUNK;
	for (; units->missing <= (first + count - 1) / TM_UNWIND_UNITS_CHUNK; units->missing++)
		if (!units->chunks[units->missing])
			return UNWIND_ALLOC_E_CHUNK;
	for (uint32_t at = first; at < first + count; at++)
		units->chunk_taken[at / TM_UNWIND_UNITS_CHUNK]++;
	memset(units->state + first, TAKEN, count);
	units->taken += count;
	*ret_first = first;
	return 0;
}

int unwind_alloc_grow(struct unwind_alloc *units)
{
	void *memory = NULL;
	int r = units->kernel.make(units->kernel.context, units->missing, &memory);

	if (r == 0)
		units->chunks[units->missing] = memory;
	return r;
}

void unwind_alloc_shrink(struct unwind_alloc *units)
{
	for (uint32_t i = 0; i < TM_UNWIND_CHUNKS_MAX; i++)
		if (units->chunks[i] && units->chunk_taken[i] == 0) {
			drop_chunk(units, i);
			return;
		}
}

void unwind_alloc_leave(struct unwind_alloc *units, uint32_t first, uint32_t count)
{
	memset(units->state + first, LEAVING, count);
}

void unwind_alloc_free(struct unwind_alloc *units, uint32_t first, uint32_t count)
{
	memset(units->state + first, FREE, count);
	units->taken -= count;
	for (uint32_t at = first; at < first + count; at++)
		units->chunk_taken[at / TM_UNWIND_UNITS_CHUNK]--;
}

void *unwind_alloc_at(const struct unwind_alloc *units, uint32_t unit)
{
	return units->chunks[unit / TM_UNWIND_UNITS_CHUNK] +
	       unit % TM_UNWIND_UNITS_CHUNK * TM_UNWIND_UNIT_BYTES;
}
