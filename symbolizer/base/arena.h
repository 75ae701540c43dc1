/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * arena - allocates many small objects in large chunks, which are freed together
 */

#include <stdbool.h>
#include <stddef.h>

#include "symbolizer/base/budget.h"

#define ARENA_CHUNK_BYTES (64u << 10)

struct arena_chunk;

struct arena {
	struct arena_chunk *chunks;
	struct arena_chunk *spare; /* taken first; NULL: none */
	struct budget *budget;     /* borrowed */
};

/* Return: @bytes of memory, 8-byte aligned and not zeroed; NULL when the budget is spent. */
void *arena_take(struct arena *arena, size_t bytes);
/* Frees everything that was taken. */
void arena_deinit(struct arena *arena);

/* --- to move all that is in one arena into another, in the order in which it was taken --- */

/* From now on the oldest chunk comes first; nothing more may be taken. */
void arena_reverse(struct arena *arena);
/* Frees the chunks of a reversed arena that lie before the one with @address, NULL: all; but one
 * becomes the spare of @to if that has none. So nobody else takes the memory meanwhile, and what
 * has left a chunk, and has not grown, has room in the other arena. */
void arena_pass_before(struct arena *arena, const void *address, struct arena *to);
/* Charges a chunk in advance for the next one that is needed. Return: whether it is there. */
bool arena_spare(struct arena *arena);
