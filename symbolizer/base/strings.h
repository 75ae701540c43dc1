/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * strings - stores each distinct name of the profile once
 *
 * String 0 is "". A string ends at its first NUL; it is made valid UTF-8 (shared/utf8.h) and cut to
 * STRINGS_MAX_BYTES.
 */

#include "shared/utf8.h"
#include "symbolizer/base/arena.h"
#include "symbolizer/base/hash.h"
#include "symbolizer/base/hash_index.h"

#define STRINGS_MAX_BYTES 4352u /* input bytes of one string, enough for the longest path */

struct strings {
	const char **items;
	uint32_t count;
	uint32_t capacity;
	struct hash_index lookup;
	struct arena arena;
	struct budget *budget;                              /* borrowed */
	const struct hash_seed *seed;                       /* borrowed */
	char clean[TM_UTF8_CLEAN_BYTES(STRINGS_MAX_BYTES)]; /* the string being added */
};

/* Return: 0, BUDGET_E_SPENT. */
int strings_init(struct strings *strings, struct budget *budget, const struct hash_seed *seed);
void strings_deinit(struct strings *strings);
/* Return: 0, BUDGET_E_SPENT. */
int strings_add(struct strings *strings, const char *bytes, size_t count, uint32_t *ret_string);
int strings_format(struct strings *strings, uint32_t *ret_string, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
