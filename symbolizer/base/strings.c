/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strings - stores each distinct name of the profile once
 */

#include "symbolizer/base/strings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static uint32_t find(const struct strings *strings, uint32_t hash, const char *text)
{
	struct hash_index_walk walk = hash_index_start(hash);
	uint32_t index;

	while ((index = hash_index_next(&strings->lookup, &walk)) != HASH_INDEX_NONE)
		if (strcmp(strings->items[index], text) == 0)
			return index;
	return HASH_INDEX_NONE;
}

static int append(struct strings *strings, uint32_t hash, const char *text, size_t bytes)
{
	char *copy;

	if (budget_grow(strings->budget, &strings->items, &strings->capacity, strings->count + 1,
			sizeof(*strings->items)))
		return BUDGET_E_SPENT;
	copy = arena_take(&strings->arena, bytes + 1);
	if (!copy || hash_index_add(&strings->lookup, hash, strings->count))
		return BUDGET_E_SPENT;
	memcpy(copy, text, bytes + 1);
	strings->items[strings->count++] = copy;
	return 0;
}

int strings_init(struct strings *strings, struct budget *budget, const struct hash_seed *seed)
{
	uint32_t empty;

	*strings = (struct strings){
		.budget = budget,
		.seed = seed,
		.arena.budget = budget,
		.lookup.budget = budget,
	};
	return strings_add(strings, "", 0, &empty);
}

void strings_deinit(struct strings *strings)
{
	budget_drop(strings->budget, &strings->items, &strings->capacity, sizeof(*strings->items));
	hash_index_deinit(&strings->lookup);
	arena_deinit(&strings->arena);
	strings->count = 0;
}

int strings_add(struct strings *strings, const char *bytes, size_t count, uint32_t *ret_string)
{
	char *clean = strings->clean;
	size_t cut = strnlen(bytes, count < STRINGS_MAX_BYTES ? count : STRINGS_MAX_BYTES);
	size_t length = tm_utf8_clean(bytes, cut, clean, sizeof(strings->clean));
	uint32_t hash = hash_bytes(strings->seed, clean, length);
	uint32_t index = find(strings, hash, clean);

	if (index == HASH_INDEX_NONE) {
		index = strings->count;
		if (append(strings, hash, clean, length))
			return BUDGET_E_SPENT;
	}
	*ret_string = index;
	return 0;
}

int strings_format(struct strings *strings, uint32_t *ret_string, const char *format, ...)
{
	char text[STRINGS_MAX_BYTES];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (length < 0)
		length = 0;
	return strings_add(strings, text, strnlen(text, sizeof(text)), ret_string);
}
