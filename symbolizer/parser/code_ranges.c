/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code_ranges - which ranges of a file's code some source describes, and where in that source
 */

#include "symbolizer/parser/code_ranges.h"

#include <stdlib.h>

#include "symbolizer/parser/elf/segments.h"
#include "symbolizer/parser/grow.h"
#include "symbolizer/parser/parser.h"

int code_ranges_add(struct code_ranges *ranges, const struct image *image,
		    const struct code_range *range, uint64_t bytes)
{
	const Elf64_Phdr *segment = segments_of_code(image, range->vaddr);
	struct code_range added = *range;
	uint64_t within, offset;
	void *list;

	if (!segment || !bytes)
		return 0;
	within = range->vaddr - segment->p_vaddr;
	offset = segment->p_offset + within;
	/* The linker leaves address 0 for discarded functions: no code lies over the header. */
	if (offset < sizeof(Elf64_Ehdr) || offset > UINT32_MAX)
		return 0;
	if (bytes > segment->p_filesz - within)
		bytes = segment->p_filesz - within;
	if (bytes > UINT32_MAX - offset)
		bytes = UINT32_MAX - offset;
	if (ranges->count >= CODE_RANGES_MAX) {
		ranges->truncated = true;
		return 0;
	}
	list = grow(ranges->list, ranges->count, &ranges->capacity, sizeof(*ranges->list));
	if (!list)
		return PARSER_FAILED;
	ranges->list = list;
	added.start = (uint32_t)offset;
	added.bytes = (uint32_t)bytes;
	ranges->list[ranges->count++] = added;
	return 0;
}

void code_ranges_add_root(struct code_ranges *ranges, uint64_t vaddr)
{
	if (ranges->root_count < CODE_RANGES_ROOTS)
		ranges->roots[ranges->root_count++] = vaddr;
}

bool code_ranges_is_root(const struct code_ranges *ranges, uint64_t vaddr)
{
	for (uint32_t i = 0; i < ranges->root_count; i++)
		if (ranges->roots[i] == vaddr)
			return true;
	return false;
}

static int compare(const void *a, const void *b)
{
	const struct code_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	return (x->cfi > y->cfi) - (x->cfi < y->cfi);
}

void code_ranges_sort(struct code_ranges *ranges)
{
	uint32_t i = 1;

	/* Most files are in order already. */
	while (i < ranges->count && compare(&ranges->list[i - 1], &ranges->list[i]) <= 0)
		i++;
	if (i < ranges->count)
		qsort(ranges->list, ranges->count, sizeof(*ranges->list), compare);
}

uint64_t code_ranges_own_bytes(const struct code_ranges *ranges, uint32_t index)
{
	const struct code_range *range = &ranges->list[index], *next = range + 1;
	uint64_t end = (uint64_t)range->start + range->bytes;

	for (; next < ranges->list + ranges->count && next->start < end; next++)
		if (next->start > range->start && next->source <= range->source)
			return next->start - range->start;
	return range->bytes;
}

void code_ranges_free(struct code_ranges *ranges)
{
	free(ranges->list);
	*ranges = (struct code_ranges){0};
}
