/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena - allocates many small objects in large chunks, which are freed together
 */

#include "symbolizer/base/arena.h"

#include <stdlib.h>

struct arena_chunk {
	struct arena_chunk *next;
	size_t bytes; /* size of `data` */
	size_t used;
	uint64_t data[];
};

static struct arena_chunk *add_chunk(struct arena *arena, size_t bytes)
{
	struct arena_chunk *chunk;

	if (budget_take(arena->budget, sizeof(*chunk) + bytes))
		return NULL;
	chunk = malloc(sizeof(*chunk) + bytes);
	if (!chunk) {
		budget_give(arena->budget, sizeof(*chunk) + bytes);
		return NULL;
	}
	chunk->bytes = bytes;
	chunk->used = 0;
	chunk->next = arena->chunks;
	arena->chunks = chunk;
	return chunk;
}

void *arena_take(struct arena *arena, size_t bytes)
{
	struct arena_chunk *chunk = arena->chunks;
	size_t rounded = (bytes + 7u) & ~(size_t)7u;
	void *taken;

	if (rounded < bytes)
		return NULL;
	if (!chunk || rounded > chunk->bytes - chunk->used)
		chunk = add_chunk(arena, rounded > ARENA_CHUNK_BYTES ? rounded : ARENA_CHUNK_BYTES);
	if (!chunk)
		return NULL;
	taken = (uint8_t *)chunk->data + chunk->used;
	chunk->used += rounded;
	return taken;
}

void arena_deinit(struct arena *arena)
{
	while (arena->chunks) {
		struct arena_chunk *chunk = arena->chunks;

		arena->chunks = chunk->next;
		budget_give(arena->budget, sizeof(*chunk) + chunk->bytes);
		free(chunk);
	}
}
