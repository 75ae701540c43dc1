/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * name_pool - the distinct names of a result, each once
 */

#include <stdbool.h>
#include <stdint.h>

struct name_pool {
	char *bytes; /* owned: names, each NUL-terminated */
	uint32_t used, capacity;
	uint32_t *slots; /* owned: offset + 1 of a name, 0: free; a power of two of them */
	uint32_t slot_count, count;
	bool truncated; /* a name is missing, or was cut */
};

/* @name: NULL is no name; it is cut at PARSER_LINES_NAME_MAX bytes.
 * Return: its offset in the pool, PARSER_NO_NAME. */
uint32_t name_pool_add(struct name_pool *pool, const char *name);
void name_pool_free(struct name_pool *pool);
