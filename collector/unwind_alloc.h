/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * unwind_alloc - allocates runs of units for unwind tables, first fit
 *
 * Shape      one byte of state per unit, numbered through all chunks (shared/unwind_map.h). A run
 *            is contiguous, may cross chunks, and is the first that fits, so that the last chunks
 *            become empty and can be dropped.
 * Chunks     each is made and dropped by a call of its own, since the kernel waits for a grace
 *            period then: the caller chooses when. A chunk may exist with no unit taken.
 * Leaving    a unit that BPF programs may still read counts as taken until unwind_alloc_free.
 * Owner      a chunk's memory belongs to the allocator, from `make` to `drop`.
 * Units      units of TM_UNWIND_UNIT_BYTES.
 * Limits     `limit` units, at most TM_UNWIND_CHUNKS_MAX chunks.
 * Threads    one.
 */

#include <stdbool.h>
#include <stdint.h>

#include "shared/unwind_map.h"

struct unwind_alloc_kernel { /* functions of the loader, or of a test */
	void *context;
	/* Makes chunk @index, mapped for writing. Return: 0, -errno. */
	int (*make)(void *context, uint32_t index, void **ret_memory);
	void (*drop)(void *context, uint32_t index, void *memory);
};

struct unwind_alloc {
	struct unwind_alloc_kernel kernel;
	uint8_t *state; /* of each unit */
	uint32_t limit;
	uint32_t taken;                             /* units, leaving ones included */
	uint32_t missing;                           /* the chunk that unwind_alloc_grow makes */
	uint8_t *chunks[TM_UNWIND_CHUNKS_MAX];      /* NULL: not made */
	uint32_t chunk_taken[TM_UNWIND_CHUNKS_MAX]; /* units */
};

enum {
	UNWIND_ALLOC_E_FULL = 1,
	UNWIND_ALLOC_E_CHUNK = 2, /* call unwind_alloc_grow, then try again, perhaps repeatedly */
};

/* Return: 0, -ENOMEM. */
int unwind_alloc_init(struct unwind_alloc *alloc, uint32_t limit,
		      struct unwind_alloc_kernel kernel);
void unwind_alloc_deinit(struct unwind_alloc *alloc);
/* Takes a run of @count. Return: 0, UNWIND_ALLOC_E_*. */
int unwind_alloc_take(struct unwind_alloc *alloc, uint32_t count, uint32_t *ret_first);
/* Makes the chunk for whose lack the last call returned UNWIND_ALLOC_E_CHUNK. Return: 0, -errno. */
int unwind_alloc_grow(struct unwind_alloc *alloc);
/* Drops one chunk without taken units, if there is one. */
void unwind_alloc_shrink(struct unwind_alloc *alloc);
/* Whether there will be a run of @count once all leaving units are free. */
bool unwind_alloc_will_fit(const struct unwind_alloc *alloc, uint32_t count);
/* Takes the run that holds a table of the collector before. @adopt: as kernel.make, for a chunk
 * that was made. Return: 0; -ENOENT: a chunk is not there; -EINVAL: the run is not free. */
int unwind_alloc_adopt(struct unwind_alloc *alloc, uint32_t first, uint32_t count,
		       int (*adopt)(void *context, uint32_t index, void **ret_memory));
/* Marks a taken run as leaving. */
void unwind_alloc_leave(struct unwind_alloc *alloc, uint32_t first, uint32_t count);
void unwind_alloc_free(struct unwind_alloc *alloc, uint32_t first, uint32_t count);
/* Return: memory of a taken unit, for writing. */
void *unwind_alloc_at(const struct unwind_alloc *alloc, uint32_t unit);
