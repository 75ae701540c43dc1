/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * otlp_index - gives equal keys one number, from 0 on, in the order in which they come
 *
 * Shape      a key is some bytes, or a text, and is compared by them.
 * Hash       keyed (base/hash.h): who chooses names cannot choose collisions.
 * Limits     as many keys as it was made for: the caller knows how many there can be.
 * Memory     of an arena, which frees it; a text, and a key that is not to be copied, is borrowed.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolizer/base/arena.h"
#include "symbolizer/base/hash.h"

enum otlp_index_kind {
	OTLP_INDEX_COPIES,  /* keys are copied when they are new */
	OTLP_INDEX_BORROWS, /* they are not */
	OTLP_INDEX_TEXTS,
};

struct otlp_key {
	const void *bytes;
	size_t count;
};

struct otlp_index {
	struct otlp_key *keys; /* by number; NULL: of texts */
	const char **texts;
	uint32_t *slots; /* number + 1; 0: free */
	uint32_t slot_mask;
	uint32_t count;
	struct hash_seed seed;
	struct arena *arena; /* borrowed; NULL: keys are not copied */
	int *error;          /* borrowed */
};

/* @error: is set to -ENOMEM when a key could not be copied. Return: 0, -ENOMEM, -errno. */
int otlp_index_init(struct otlp_index *index, struct arena *arena, enum otlp_index_kind kind,
		    uint64_t most, int *error);
/* Return: the key's number; 0 if it could not be copied. @ret_new: it was not there before; may be
 * NULL. */
uint32_t otlp_index_add(struct otlp_index *index, const void *key, size_t bytes, bool *ret_new);
uint32_t otlp_index_add_text(struct otlp_index *index, const char *text);
