/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * otlp_index - gives equal keys one number, from 0 on, in the order in which they come
 *
 * Shape      a key is two words, or a text, which is borrowed and compared by its characters.
 * Hash       keyed (base/hash.h): who chooses names cannot choose collisions.
 * Limits     as many keys as it was made for: the caller knows how many there can be.
 * Memory     of an arena, which frees it.
 */

#include <stdbool.h>
#include <stdint.h>

#include "symbolizer/base/arena.h"
#include "symbolizer/base/hash.h"

struct otlp_key {
	uint64_t words[2];
};

struct otlp_index {
	struct otlp_key *keys; /* by number; NULL: of texts */
	const char **texts;
	uint32_t *slots; /* number + 1; 0: free */
	uint32_t slot_mask;
	uint32_t count;
	struct hash_seed seed;
};

enum otlp_index_kind {
	OTLP_INDEX_KEYS,
	OTLP_INDEX_TEXTS,
};

/* Return: 0, -ENOMEM, -errno. */
int otlp_index_init(struct otlp_index *index, struct arena *arena, enum otlp_index_kind kind,
		    uint64_t most);
/* Return: the key's number. @ret_new: it was not there before; may be NULL. */
uint32_t otlp_index_add(struct otlp_index *index, struct otlp_key key, bool *ret_new);
uint32_t otlp_index_add_text(struct otlp_index *index, const char *text);
