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

int tm_units_init(struct tm_units *units, uint32_t limit, struct tm_units_kernel kernel)
{
	*units = (struct tm_units){.kernel = kernel, .limit = limit};
	units->state = calloc(limit, sizeof(*units->state));
	return units->state ? 0 : -ENOMEM;
}

static void drop_chunk(struct tm_units *units, uint32_t index)
{
	units->kernel.drop(units->kernel.context, index, units->chunks[index]);
	units->chunks[index] = NULL;
}

void tm_units_deinit(struct tm_units *units)
{
	for (uint32_t i = 0; i < TM_CHUNKS_MAX; i++)
		if (units->chunks[i])
			drop_chunk(units, i);
	free(units->state);
	*units = (struct tm_units){0};
}

/* The first run of units in state @most or below. Return: its first; the limit: there is none. */
static uint32_t find(const struct tm_units *units, uint32_t count, uint8_t most)
{
	uint32_t run = 0;

	for (uint32_t at = 0; at < units->limit; at++) {
		run = units->state[at] <= most ? run + 1 : 0;
		if (run == count)
			return at + 1 - count;
	}
	return units->limit;
}

bool tm_units_will_fit(const struct tm_units *units, uint32_t count)
{
	return find(units, count, LEAVING) < units->limit;
}

int tm_units_take(struct tm_units *units, uint32_t count, uint32_t *ret_first)
{
	uint32_t first = find(units, count, FREE);

	if (first == units->limit)
		return TM_UNITS_E_FULL;
	units->missing = first / TM_UNITS_CHUNK;
	for (; units->missing <= (first + count - 1) / TM_UNITS_CHUNK; units->missing++)
		if (!units->chunks[units->missing])
			return TM_UNITS_E_CHUNK;
	for (uint32_t at = first; at < first + count; at++)
		units->chunk_taken[at / TM_UNITS_CHUNK]++;
	memset(units->state + first, TAKEN, count);
	units->taken += count;
	*ret_first = first;
	return 0;
}

int tm_units_grow(struct tm_units *units)
{
	void *memory = NULL;
	int r = units->kernel.make(units->kernel.context, units->missing, &memory);

	if (r == 0)
		units->chunks[units->missing] = memory;
	return r;
}

void tm_units_shrink(struct tm_units *units)
{
	for (uint32_t i = 0; i < TM_CHUNKS_MAX; i++)
		if (units->chunks[i] && units->chunk_taken[i] == 0) {
			drop_chunk(units, i);
			return;
		}
}

void tm_units_leave(struct tm_units *units, uint32_t first, uint32_t count)
{
	memset(units->state + first, LEAVING, count);
}

void tm_units_free(struct tm_units *units, uint32_t first, uint32_t count)
{
	memset(units->state + first, FREE, count);
	units->taken -= count;
	for (uint32_t at = first; at < first + count; at++)
		units->chunk_taken[at / TM_UNITS_CHUNK]--;
}

void *tm_units_at(const struct tm_units *units, uint32_t unit)
{
	return units->chunks[unit / TM_UNITS_CHUNK] + unit % TM_UNITS_CHUNK * TM_UNIT_BYTES;
}
