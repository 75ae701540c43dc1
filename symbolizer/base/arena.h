/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * arena - allocates many small objects in large chunks, which are freed together
 */

#include <stddef.h>

#include "symbolizer/base/budget.h"

#define ARENA_CHUNK_BYTES (64u << 10)

struct arena_chunk;

struct arena {
	struct arena_chunk *chunks;
	struct budget *budget; /* borrowed */
};

/* Return: @bytes of memory, 8-byte aligned and not zeroed; NULL when the budget is spent. */
void *arena_take(struct arena *arena, size_t bytes);
/* Frees everything that was taken. */
void arena_deinit(struct arena *arena);
