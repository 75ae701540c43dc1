/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * memory_file - the fuzzer's input as a file for the parser; a read beyond it must not be asked for
 */

#include <stdlib.h>
#include <string.h>

#include "symbolizer/parser/elf/image.h"

struct memory_file {
	const uint8_t *bytes;
	size_t count;
};

/* Of struct image_source; the context is a struct memory_file. */
static inline int memory_file_read(void *context, void *to, uint64_t offset, size_t bytes)
{
	const struct memory_file *file = context;

	if (offset > file->count || bytes > file->count - offset)
		abort();
	memcpy(to, file->bytes + offset, bytes);
	return 0;
}
