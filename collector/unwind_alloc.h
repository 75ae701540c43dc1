/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * unwind_alloc - which units of the kernel room's tables are taken, and the chunks they lie in
 *
 * Shape      one byte of state a unit, numbered through all chunks (shared/unwind_map.h). A run is contiguous, may
 *            cross chunks, and is the first that fits, so that the last chunks run empty.
 * Chunks     each is made and dropped by a call of its own, since the kernel takes its time for it (a grace
 *            period): the caller chooses when. A chunk may be there without a unit taken.
 * Leaving    a unit that programs may still read is taken until tm_units_free.
 * Limits     `limit` units, at most TM_CHUNKS_MAX chunks.
 */

#include <stdbool.h>
#include <stdint.h>

#include "shared/unwind_map.h"

struct tm_units_kernel { /* calls of the loader, or of a test */
	void *context;
	/* Makes chunk @index, mapped for writing. Return: 0, -errno. */
	int (*make)(void *context, uint32_t index, void **ret_memory);
	void (*drop)(void *context, uint32_t index, void *memory);
};

struct tm_units {
	struct tm_units_kernel kernel;
	uint8_t *state; /* of each unit */
	uint32_t limit;
	uint32_t taken;                      /* leaving ones included */
	uint32_t missing;                    /* chunk */
	uint8_t *chunks[TM_CHUNKS_MAX];      /* NULL: not made */
	uint32_t chunk_taken[TM_CHUNKS_MAX]; /* units */
};

enum {
	TM_UNITS_E_FULL = 1,
	TM_UNITS_E_CHUNK = 2, /* tm_units_grow first, perhaps more than once */
};

/* Return: 0, -ENOMEM. */
int tm_units_init(struct tm_units *units, uint32_t limit, struct tm_units_kernel kernel);
void tm_units_deinit(struct tm_units *units);
/* Takes a run of @count. Return: 0, TM_UNITS_E_*. */
int tm_units_take(struct tm_units *units, uint32_t count, uint32_t *ret_first);
/* Makes the chunk that the last TM_UNITS_E_CHUNK was about. Return: 0, -errno. */
int tm_units_grow(struct tm_units *units);
/* Drops a chunk that no unit is taken of, if there is one. */
void tm_units_shrink(struct tm_units *units);
/* Whether there will be such a run once all that leave are free. */
bool tm_units_will_fit(const struct tm_units *units, uint32_t count);
void tm_units_leave(struct tm_units *units, uint32_t first, uint32_t count);
void tm_units_free(struct tm_units *units, uint32_t first, uint32_t count);
/* Where to write a taken unit. */
void *tm_units_at(const struct tm_units *units, uint32_t unit);
