/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sparse_copy - a copy of part of a file, of which only what is filled counts as memory
 */

#include "symbolizer/parser/sparse_copy.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "symbolizer/parser/parser.h"

int sparse_copy_map(struct sparse_copy *copy, uint64_t size, bool whole)
{
	const int writable = whole || size <= SPARSE_COPY_WHOLE ? PROT_WRITE : 0;
	void *bytes = mmap(NULL, size, PROT_READ | writable,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	*copy = (struct sparse_copy){0};
	if (bytes == MAP_FAILED)
		return PARSER_FAILED;
	*copy = (struct sparse_copy){.bytes = bytes, .size = size};
	if (writable)
		return 0;
	copy->is_open = calloc(size / SPARSE_COPY_UNIT + 1, 1);
	return copy->is_open ? 0 : PARSER_FAILED;
}

/* Units @first to @end, of which none is open. */
static int open_units(struct sparse_copy *copy, uint64_t first, uint64_t end)
{
	const uint64_t from = first * SPARSE_COPY_UNIT;
	uint64_t to = end * SPARSE_COPY_UNIT;

	to = to < copy->size ? to : copy->size;
	if (mprotect(copy->bytes + from, to - from, PROT_READ | PROT_WRITE) < 0)
		return PARSER_FAILED;
	memset(copy->is_open + first, 1, end - first);
	return 0;
}

int sparse_copy_open(struct sparse_copy *copy, uint64_t offset, uint64_t count)
{
	uint64_t first = offset / SPARSE_COPY_UNIT, end, last;
	int r = 0;

	if (!copy->is_open || !count)
		return 0;
	last = (offset + count - 1) / SPARSE_COPY_UNIT + 1;
	for (; !r && first < last; first = end) {
		for (end = first; end < last && !copy->is_open[end]; end++)
			;
		if (end > first)
			r = open_units(copy, first, end);
		else
			end++;
	}
	return r;
}

void sparse_copy_close(struct sparse_copy *copy)
{
	if (copy->bytes)
		(void)munmap(copy->bytes, copy->size);
	free(copy->is_open);
	*copy = (struct sparse_copy){0};
}
