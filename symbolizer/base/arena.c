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

static struct arena_chunk *new_chunk(struct arena *arena, size_t bytes)
{
	struct arena_chunk *chunk;

	if (budget_take(arena->budget, sizeof(*chunk) + bytes))
		return NULL;
	chunk = malloc(sizeof(*chunk) + bytes);
	if (!chunk) {
		budget_give(arena->budget, sizeof(*chunk) + bytes);
		return NULL;
	}
	*chunk = (struct arena_chunk){.bytes = bytes};
	return chunk;
}

static struct arena_chunk *add_chunk(struct arena *arena, size_t bytes)
{
	struct arena_chunk *chunk = arena->spare;

	if (chunk && bytes <= chunk->bytes)
		arena->spare = NULL;
	else
		chunk = new_chunk(arena, bytes);
	if (!chunk)
		return NULL;
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

static void free_chunk(struct arena *arena, struct arena_chunk *chunk)
{
	if (!chunk)
		return;
	budget_give(arena->budget, sizeof(*chunk) + chunk->bytes);
	free(chunk);
}

void arena_deinit(struct arena *arena)
{
	while (arena->chunks) {
		struct arena_chunk *chunk = arena->chunks;

		arena->chunks = chunk->next;
		free_chunk(arena, chunk);
	}
	free_chunk(arena, arena->spare);
	arena->spare = NULL;
}

void arena_reverse(struct arena *arena)
{
	struct arena_chunk *chunk = arena->chunks, *older;

	arena->chunks = NULL;
	for (; chunk; chunk = older) {
		older = chunk->next;
		chunk->next = arena->chunks;
		arena->chunks = chunk;
	}
}

void arena_pass_before(struct arena *arena, const void *address, struct arena *to)
{
	while (arena->chunks) {
		struct arena_chunk *chunk = arena->chunks;
		const uint8_t *data = (const uint8_t *)chunk->data;

		if ((const uint8_t *)address >= data &&
		    (const uint8_t *)address <= data + chunk->bytes)
			return;
		arena->chunks = chunk->next;
		if (to->spare || chunk->bytes < ARENA_CHUNK_BYTES) {
			free_chunk(arena, chunk);
			continue;
		}
		chunk->used = 0;
		to->spare = chunk;
	}
}

bool arena_spare(struct arena *arena)
{
	if (!arena->spare)
		arena->spare = new_chunk(arena, ARENA_CHUNK_BYTES);
	return arena->spare != NULL;
}
