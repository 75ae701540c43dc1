/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * demangle_cache - mangled names and their texts, kept from one report to the next
 *
 * Limits     DEMANGLE_CACHE_BYTES; the name that was least recently looked up makes room.
 * Threads    one at a time.
 */

#include "symbolizer/base/hash.h"
#include "symbolizer/base/hash_index.h"

#define DEMANGLE_CACHE_BYTES (8ull << 20)
#define DEMANGLE_CACHE_NONE  0xffffffffu

struct demangle_cache_entry {
	char *name;     /* owned; NULL: the entry is free */
	uint32_t text;  /* where it begins behind the name; an empty one: not a mangled name */
	uint32_t bytes; /* of both */
	uint32_t hash;
	uint32_t newer; /* entry, or DEMANGLE_CACHE_NONE */
	uint32_t older; /* likewise; of a free entry the next free one */
};

struct demangle_cache {
	struct demangle_cache_entry *entries;
	uint32_t count, capacity;
	uint32_t newest, oldest, free;
	struct hash_index lookup;
	struct budget budget;
	const struct hash_seed *seed; /* borrowed */
};

void demangle_cache_init(struct demangle_cache *cache, const struct hash_seed *seed);
void demangle_cache_deinit(struct demangle_cache *cache);
/* Return: the text, valid until the next call; "": not a mangled name; NULL: not known. */
const char *demangle_cache_find(struct demangle_cache *cache, const char *name);
/* @text: "": not a mangled name. Of a name that is not there. What does not fit is not kept. */
void demangle_cache_add(struct demangle_cache *cache, const char *name, const char *text);
