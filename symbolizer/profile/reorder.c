/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reorder - samples and exits of all CPUs, released in the order in which they happened
 */

#include "symbolizer/profile/reorder.h"

#include <stdlib.h>
#include <string.h>

#define HEAP_FIRST  64u
#define CHUNK_BYTES (64u << 10)

struct entry { /* a record as it waits in a chunk */
	uint64_t sequence;
	struct tm_event event; /* event.bytes long */
};

struct reorder_chunk {
	struct reorder_chunk *next;
	uint32_t read; /* bytes of data */
	uint32_t used;
	uint64_t data[CHUNK_BYTES / 8];
};

/* --- the heap --- */

static int before(const struct reorder_item *a, const struct reorder_item *b)
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

/* Room for one more. */
static int grow(struct reorder *order)
{
	uint32_t capacity = order->capacity ? 2 * order->capacity : HEAP_FIRST;
	struct reorder_item *heap;

	if (order->heap_count < order->capacity)
		return 0;
	heap = realloc(order->heap, capacity * sizeof(*heap));
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

/* A chunk with room for @bytes at the lane's end, or NULL. */
static struct reorder_chunk *room_in(struct reorder *order, struct reorder_lane *lane,
				     uint32_t bytes)
{
	struct reorder_chunk *chunk = lane->last;

	if (chunk && bytes <= CHUNK_BYTES - chunk->used)
		return chunk;
	chunk = order->spare;
	order->spare = NULL;
	if (!chunk)
		chunk = malloc(sizeof(*chunk));
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

static int push_into_lane(struct reorder *order, uint32_t index, const struct tm_event *record)
{
	struct reorder_lane *lane = &order->lanes[index];
	const struct reorder_item item = {record->ktime, order->sequence, NULL, index};
	uint32_t bytes = (uint32_t)offsetof(struct entry, event) + record->bytes;
	int waits = lane->first != NULL;
	struct reorder_chunk *chunk = room_in(order, lane, bytes);
	struct entry *entry;

	if (!chunk)
		return REORDER_E_FULL;
	entry = (struct entry *)((uint8_t *)chunk->data + chunk->used);
	entry->sequence = order->sequence;
	memcpy(&entry->event, record, record->bytes);
	chunk->used += bytes;
	lane->newest = record->ktime;
	if (!waits)
		add_item(order, item);
	return 0;
}

static int push_alone(struct reorder *order, const struct tm_event *record)
{
	struct reorder_item item = {record->ktime, order->sequence, NULL, 0};

	item.alone = malloc(record->bytes);
	if (!item.alone)
		return REORDER_E_FULL;
	memcpy(item.alone, record, record->bytes);
	add_item(order, item);
	return 0;
}

/* The chunk's records stay readable until it is used anew. */
static void drop_first(struct reorder *order, struct reorder_lane *lane)
{
	struct reorder_chunk *chunk = lane->first;

	lane->first = chunk->next;
	if (!lane->first)
		lane->last = NULL;
	free(order->spare);
	order->spare = chunk;
}

/* Takes the record that the heap's top stands for, and puts the lane's next one there. */
static const struct tm_event *take_from_lane(struct reorder *order)
{
	struct reorder_item *top = &order->heap[0];
	struct reorder_lane *lane = &order->lanes[top->lane];
	const struct entry *entry = oldest(lane);

	lane->first->read += (uint32_t)offsetof(struct entry, event) + entry->event.bytes;
	if (lane->first->read == lane->first->used)
		drop_first(order, lane);
	if (lane->first) {
		top->ktime = oldest(lane)->event.ktime;
		top->sequence = oldest(lane)->sequence;
		sift_down(order->heap, order->heap_count);
	} else {
		remove_top(order);
	}
	return &entry->event;
}

void reorder_deinit(struct reorder *order)
{
	for (uint32_t i = 0; i < order->heap_count; i++)
		free(order->heap[i].alone);
	for (uint32_t i = 0; i < REORDER_LANES; i++)
		while (order->lanes[i].first)
			drop_first(order, &order->lanes[i]);
	free(order->heap);
	free(order->spare);
	free(order->popped);
	*order = (struct reorder){0};
}

int reorder_has_room(const struct reorder *order)
{
	return order->bytes + TM_EVENT_MAX_BYTES <= REORDER_MAX_BYTES &&
	       order->count < REORDER_MAX_RECORDS;
}

int reorder_push(struct reorder *order, const struct tm_event *record)
{
	uint32_t index = record->cpu % REORDER_LANES;
	const struct reorder_lane *lane = &order->lanes[index];
	int in_order = !lane->first || record->ktime >= lane->newest;

	if (!reorder_has_room(order) || grow(order))
		return REORDER_E_FULL;
	if (in_order ? push_into_lane(order, index, record) : push_alone(order, record))
		return REORDER_E_FULL;
	order->sequence++;
	order->count++;
	order->bytes += record->bytes;
	return 0;
}

int reorder_pop(struct reorder *order, uint64_t watermark, const struct tm_event **ret_record)
{
	free(order->popped);
	order->popped = NULL;
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
