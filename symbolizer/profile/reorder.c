/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reorder - sorts the samples and exits of all CPUs by time
 */

#include "symbolizer/profile/reorder.h"

#include <stdlib.h>
#include <string.h>

#define HEAP_FIRST  64u
#define CHUNK_BYTES (64u << 10)

struct entry { /* a record in a chunk */
	uint64_t sequence;
	struct tm_event event; /* event.bytes long */
};

struct reorder_chunk {
	struct reorder_chunk *next;
	uint32_t read; /* bytes of `data` that were popped */
	uint32_t used; /* bytes of `data` that were pushed */
	uint64_t data[CHUNK_BYTES / 8];
};

/* --- memory --- */

static uint64_t max_bytes(const struct reorder *order)
{
	uint64_t share = order->budget ? order->budget->limit / 2 : REORDER_MAX_BYTES;

	return share < REORDER_MAX_BYTES ? share : REORDER_MAX_BYTES;
}

/* Charges @more bytes of memory that @size is to grow to. */
static void *resize(struct reorder *order, void *memory, size_t size, size_t more)
{
	void *resized;

	if (order->budget && budget_take(order->budget, more))
		return NULL;
	resized = realloc(memory, size);
	if (!resized && order->budget)
		budget_give(order->budget, more);
	return resized;
}

static void *release(const struct reorder *order, void *memory, size_t bytes)
{
	if (memory && order->budget)
		budget_give(order->budget, bytes);
	free(memory);
	return NULL;
}

/* --- the heap --- */

static bool before(const struct reorder_item *a, const struct reorder_item *b)
{
	return a->ktime != b->ktime ? a->ktime < b->ktime : a->sequence < b->sequence;
}

static void swap(struct reorder_item *a, struct reorder_item *b)
{
	struct reorder_item kept = *a;

	*a = *b;
	*b = kept;
}

static void sift_up(struct reorder_item *heap, uint32_t at)
{
	while (at > 0 && before(&heap[at], &heap[(at - 1) / 2])) {
		swap(&heap[at], &heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
}

static void sift_down(struct reorder_item *heap, uint32_t count)
{
	uint32_t at = 0;

	for (;;) {
		uint32_t least = at;

		for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++)
			if (before(&heap[child], &heap[least]))
				least = child;
		if (least == at)
			return;
		swap(&heap[at], &heap[least]);
		at = least;
	}
}

/* Makes space for one more item. Return: 0, REORDER_E_FULL. */
static int grow_heap(struct reorder *order)
{
	uint32_t capacity = order->capacity ? 2 * order->capacity : HEAP_FIRST;
	struct reorder_item *heap;

	if (order->heap_count < order->capacity)
		return 0;
	heap = resize(order, order->heap, capacity * sizeof(*heap),
		      (capacity - order->capacity) * sizeof(*heap));
	if (!heap)
		return REORDER_E_FULL;
	order->heap = heap;
	order->capacity = capacity;
	return 0;
}

static void add_item(struct reorder *order, struct reorder_item item)
{
	order->heap[order->heap_count] = item;
	sift_up(order->heap, order->heap_count++);
}

static void remove_top(struct reorder *order)
{
	order->heap[0] = order->heap[--order->heap_count];
	sift_down(order->heap, order->heap_count);
}

/* --- the lanes --- */

static struct entry *oldest(const struct reorder_lane *lane)
{
	return (struct entry *)((uint8_t *)lane->first->data + lane->first->read);
}

/* Return: the last chunk of the lane, with space for @bytes; NULL: out of memory. */
static struct reorder_chunk *chunk_with_space(struct reorder *order, struct reorder_lane *lane,
					      uint32_t bytes)
{
	struct reorder_chunk *chunk = lane->last;

	if (chunk && bytes <= CHUNK_BYTES - chunk->used)
		return chunk;
	chunk = order->spare;
	order->spare = NULL;
	if (!chunk)
		chunk = resize(order, NULL, sizeof(*chunk), sizeof(*chunk));
	if (!chunk)
		return NULL;
	chunk->next = NULL;
	chunk->read = 0;
	chunk->used = 0;
	if (lane->last)
		lane->last->next = chunk;
	else
		lane->first = chunk;
	lane->last = chunk;
	return chunk;
}

static int push_to_lane(struct reorder *order, uint32_t index, const struct tm_event *record)
{
	struct reorder_lane *lane = &order->lanes[index];
	const struct reorder_item item = {record->ktime, order->sequence, NULL, index};
	uint32_t bytes = (uint32_t)offsetof(struct entry, event) + record->bytes;
	bool was_empty = !lane->first;
	struct reorder_chunk *chunk = chunk_with_space(order, lane, bytes);
	struct entry *entry;

	if (!chunk)
		return REORDER_E_FULL;
	entry = (struct entry *)((uint8_t *)chunk->data + chunk->used);
	entry->sequence = order->sequence;
	memcpy(&entry->event, record, record->bytes);
	chunk->used += bytes;
	lane->newest = record->ktime;
	if (was_empty)
		add_item(order, item);
	return 0;
}

static int push_to_heap(struct reorder *order, const struct tm_event *record)
{
	struct reorder_item item = {record->ktime, order->sequence, NULL, 0};

	item.alone = resize(order, NULL, record->bytes, record->bytes);
	if (!item.alone)
		return REORDER_E_FULL;
	memcpy(item.alone, record, record->bytes);
	add_item(order, item);
	return 0;
}

/* Keeps the chunk as the spare one, so that its records stay valid until it is reused. */
static void remove_chunk(struct reorder *order, struct reorder_lane *lane)
{
	struct reorder_chunk *chunk = lane->first;

	lane->first = chunk->next;
	if (!lane->first)
		lane->last = NULL;
	(void)release(order, order->spare, sizeof(*chunk));
	order->spare = chunk;
}

/* Removes the record at the heap's top, and replaces it by the next one of its lane. */
static const struct tm_event *take_from_lane(struct reorder *order)
{
	struct reorder_item *top = &order->heap[0];
	struct reorder_lane *lane = &order->lanes[top->lane];
	const struct entry *entry = oldest(lane);

	lane->first->read += (uint32_t)offsetof(struct entry, event) + entry->event.bytes;
	if (lane->first->read == lane->first->used)
		remove_chunk(order, lane);
	if (lane->first) {
		top->ktime = oldest(lane)->event.ktime;
		top->sequence = oldest(lane)->sequence;
		sift_down(order->heap, order->heap_count);
	} else {
		remove_top(order);
	}
	return &entry->event;
}

static void free_popped(struct reorder *order)
{
	if (order->popped)
		order->popped = release(order, order->popped, order->popped->bytes);
}

void reorder_deinit(struct reorder *order)
{
	for (uint32_t i = 0; i < order->heap_count; i++)
		if (order->heap[i].alone)
			(void)release(order, order->heap[i].alone, order->heap[i].alone->bytes);
	for (uint32_t i = 0; i < REORDER_LANES; i++)
		while (order->lanes[i].first)
			remove_chunk(order, &order->lanes[i]);
	(void)release(order, order->heap, order->capacity * sizeof(*order->heap));
	(void)release(order, order->spare, sizeof(*order->spare));
	free_popped(order);
	*order = (struct reorder){.budget = order->budget};
}

bool reorder_has_space(const struct reorder *order)
{
	return order->bytes + TM_EVENT_MAX_BYTES <= max_bytes(order) &&
	       order->count < REORDER_MAX_RECORDS;
}

int reorder_push(struct reorder *order, const struct tm_event *record)
{
	uint32_t index = record->cpu % REORDER_LANES;
	const struct reorder_lane *lane = &order->lanes[index];
	bool in_order = !lane->first || record->ktime >= lane->newest;

	if (!reorder_has_space(order) || grow_heap(order))
		return REORDER_E_FULL;
	if (in_order ? push_to_lane(order, index, record) : push_to_heap(order, record))
		return REORDER_E_FULL;
	order->sequence++;
	order->count++;
	order->bytes += record->bytes;
	return 0;
}

int reorder_pop(struct reorder *order, uint64_t watermark, const struct tm_event **ret_record)
{
	free_popped(order);
	if (!order->heap_count || (order->heap[0].ktime >= watermark && watermark != REORDER_ALL))
		return REORDER_E_EMPTY;
	if (order->heap[0].alone) {
		*ret_record = order->popped = order->heap[0].alone;
		remove_top(order);
	} else {
		*ret_record = take_from_lane(order);
	}
	order->count--;
	order->bytes -= (*ret_record)->bytes;
	return 0;
}
