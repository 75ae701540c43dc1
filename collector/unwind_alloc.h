/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * unwind_alloc - which units of the kernel room's tables are taken, and the chunks they lie in
 *
 * Shape      one byte of state a unit, numbered through all chunks (shared/unwind_map.h). A run is contiguous, may
 *            cross chunks, and is the first that fits, so that the last chunks run empty.
 * Chunks     each is made and dropped by a call of its own, since the kernel takes its time for it (a grace
 *            period): the caller chooses when. A chunk may be there without a unit taken.
 * Leaving    a unit that programs may still read is taken until unwind_alloc_free.
 * Limits     `limit` units, at most TM_UNWIND_CHUNKS_MAX chunks.
 */

#include <stdbool.h>
#include <stdint.h>

#include "shared/unwind_map.h"

struct unwind_alloc_kernel { /* calls of the loader, or of a test */
	void *context;
	/* Makes chunk @index, mapped for writing. Return: 0, -errno. */
	int (*make)(void *context, uint32_t index, void **ret_memory);
	void (*drop)(void *context, uint32_t index, void *memory);
};

struct unwind_alloc {
	struct unwind_alloc_kernel kernel;
	uint8_t *state; /* of each unit */
	uint32_t limit;
	uint32_t taken;                             /* leaving ones included */
	uint32_t missing;                           /* chunk */
	uint8_t *chunks[TM_UNWIND_CHUNKS_MAX];      /* NULL: not made */
	uint32_t chunk_taken[TM_UNWIND_CHUNKS_MAX]; /* units */
};

enum {
	UNWIND_ALLOC_E_FULL = 1,
	UNWIND_ALLOC_E_CHUNK = 2, /* unwind_alloc_grow first, perhaps more than once */
};

/* Return: 0, -ENOMEM. */
int unwind_alloc_init(struct unwind_alloc *units, uint32_t limit,
		      struct unwind_alloc_kernel kernel);
void unwind_alloc_deinit(struct unwind_alloc *units);
/* Takes a run of @count. Return: 0, TM_UNITS_E_*. */
int unwind_alloc_take(struct unwind_alloc *units, uint32_t count, uint32_t *ret_first);
/* Makes the chunk that the last UNWIND_ALLOC_E_CHUNK was about. Return: 0, -errno. */
int unwind_alloc_grow(struct unwind_alloc *units);
/* Drops a chunk that no unit is taken of, if there is one. */
void unwind_alloc_shrink(struct unwind_alloc *units);
/* Whether there will be such a run once all that leave are free. */
bool unwind_alloc_will_fit(const struct unwind_alloc *units, uint32_t count);
void unwind_alloc_leave(struct unwind_alloc *units, uint32_t first, uint32_t count);
void unwind_alloc_free(struct unwind_alloc *units, uint32_t first, uint32_t count);
/* Where to write a taken unit. */
void *unwind_alloc_at(const struct unwind_alloc *units, uint32_t unit);
