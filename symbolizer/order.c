/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order - samples and exits of all CPUs, released in the order in which they happened
 */

#include "symbolizer/order.h"

#include <stdlib.h>
#include <string.h>

#define ORDER_FIRST 256u

static int before(const struct order_item *a, const struct order_item *b)
{
	return a->ktime != b->ktime ? a->ktime < b->ktime : a->sequence < b->sequence;
}

static void swap(struct order_item *a, struct order_item *b)
{
	struct order_item kept = *a;

	*a = *b;
	*b = kept;
}

static void sift_up(struct order_item *heap, uint32_t at)
{
	while (at > 0 && before(&heap[at], &heap[(at - 1) / 2])) {
		swap(&heap[at], &heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
}

static void sift_down(struct order_item *heap, uint32_t count)
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

static int grow(struct order *order)
{
	uint32_t capacity = order->capacity ? 2 * order->capacity : ORDER_FIRST;
	struct order_item *heap;

	if (order->count < order->capacity)
		return 0;
	heap = realloc(order->heap, capacity * sizeof(*heap));
	if (!heap)
		return ORDER_E_FULL;
	order->heap = heap;
	order->capacity = capacity;
	return 0;
}

void order_deinit(struct order *order)
{
	for (uint32_t i = 0; i < order->count; i++)
		free(order->heap[i].record);
	free(order->heap);
	*order = (struct order){0};
}

int order_has_room(const struct order *order)
{
	return order->bytes + TM_EVENT_MAX_BYTES <= ORDER_MAX_BYTES &&
	       order->count < ORDER_MAX_RECORDS;
}

int order_push(struct order *order, const struct tm_event *record)
{
	struct order_item *item;

	if (!order_has_room(order) || grow(order))
		return ORDER_E_FULL;
	item = &order->heap[order->count];
	item->record = malloc(record->bytes);
	if (!item->record)
		return ORDER_E_FULL;
	memcpy(item->record, record, record->bytes);
	item->ktime = record->ktime;
	item->sequence = order->sequence++;
	order->bytes += record->bytes;
	sift_up(order->heap, order->count++);
	return 0;
}

int order_pop(struct order *order, uint64_t watermark, struct tm_event **ret_record)
{
	if (!order->count || order->heap[0].ktime >= watermark)
		return ORDER_E_EMPTY;
	*ret_record = order->heap[0].record;
	order->bytes -= (*ret_record)->bytes;
	order->heap[0] = order->heap[--order->count];
	sift_down(order->heap, order->count);
	return 0;
}
