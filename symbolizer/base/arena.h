/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * arena - many small things that live as long as the profile, in few large pieces
 */

#include <stddef.h>

#include "symbolizer/base/budget.h"

#define ARENA_CHUNK_BYTES (64u << 10)

struct arena_chunk;

struct arena {
	struct arena_chunk *chunks;
	struct budget *budget; /* borrowed */
};

/* 8-byte aligned, not zeroed; NULL when the budget is spent. */
void *arena_take(struct arena *arena, size_t bytes);
void arena_deinit(struct arena *arena);
