/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf_map_ranges - which line of a perf map names each address: the last one that covers it
 */

#include "symbolizer/parser/jit/perf_map_ranges.h"

#include <stdlib.h>

/* The lines that begin at or before the current address, as a heap: the latest is the first. */
struct heap {
	const struct symbol_list *list;
	uint32_t *lines; /* indices in the list */
	uint32_t count;
};

static uint32_t rank(const struct heap *heap, uint32_t at)
{
	return heap->list->symbols[heap->lines[at]].name;
}

static void swap(struct heap *heap, uint32_t a, uint32_t b)
{
	uint32_t line = heap->lines[a];

	heap->lines[a] = heap->lines[b];
	heap->lines[b] = line;
}

static void push(struct heap *heap, uint32_t line)
{
	uint32_t at = heap->count++;

	heap->lines[at] = line;
	for (; at && rank(heap, at) > rank(heap, (at - 1) / 2); at = (at - 1) / 2)
		swap(heap, at, (at - 1) / 2);
}

static void pop(struct heap *heap)
{
	uint32_t at = 0, child;

	heap->lines[0] = heap->lines[--heap->count];
	while ((child = 2 * at + 1) < heap->count) {
		if (child + 1 < heap->count && rank(heap, child + 1) > rank(heap, child))
			child++;
		if (rank(heap, child) <= rank(heap, at))
			break;
		swap(heap, at, child);
		at = child;
	}
}

static uint64_t end_of(const struct symbol *line)
{
	return line->start + line->bytes;
}

/* Names what lies between @at and @end by the latest line. Return: where that part ends. */
static uint64_t emit(const struct heap *heap, uint64_t at, uint64_t end, int *ret_status,
		     struct symbol_ranges *ranges)
{
	uint32_t line = heap->lines[0];
	const struct symbol *symbol = &heap->list->symbols[line];
	struct symbol_range range = {
		.start = at, .symbol = line, .name = symbol_list_name(heap->list, line)};

	end = end_of(symbol) < end ? end_of(symbol) : end;
	range.bytes = (uint32_t)(end - at);
	*ret_status = symbol_ranges_add(ranges, &range);
	return end;
}

int perf_map_ranges_choose(struct symbol_ranges *ranges, const struct symbol_list *list)
{
	struct heap heap = {list, calloc(list->count + 1ull, sizeof(*heap.lines)), 0};
	uint32_t next = 0;
	uint64_t at = 0;
	int r = heap.lines ? 0 : PARSER_FAILED;

	while (!r) {
		while (heap.count && end_of(&list->symbols[heap.lines[0]]) <= at)
			pop(&heap);
		if (!heap.count && next == list->count)
			break;
		if (!heap.count)
			at = list->symbols[next].start;
		while (next < list->count && list->symbols[next].start <= at)
			push(&heap, next++);
		at = emit(&heap, at, next < list->count ? list->symbols[next].start : UINT64_MAX,
			  &r, ranges);
	}
	free(heap.lines);
	return r;
}
