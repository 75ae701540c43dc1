/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * memory_source - the bytes of an input as the file that a reader of the parser reads
 */

#include <errno.h>
#include <string.h>

#include "symbolizer/parser/elf/image.h"

struct memory {
	const uint8_t *bytes;
	size_t count;
};

static inline int read_memory(void *context, void *to, uint64_t offset, size_t bytes)
{
	const struct memory *memory = context;

	if (offset > memory->count || bytes > memory->count - offset)
		return -EIO;
	memcpy(to, memory->bytes + offset, bytes);
	return 0;
}
