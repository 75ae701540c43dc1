/* SPDX-License-Identifier: Apache-2.0 */
/* retire - queue of callbacks that run once the watermark has passed their ktime */

#include "shared/retire.h"

#include <stdlib.h>

#define FIRST_CAPACITY 64u
#define SHRINK_PART    8u /* memory is returned when less than 1/SHRINK_PART is in use */

/* The bucket in which an entry of @ktime waits while W is @watermark. */
static uint32_t bucket_of(uint64_t ktime, uint64_t watermark)
{
	uint64_t differs = ktime ^ watermark;

	if (ktime < watermark)
		return 0;
	return differs ? 65 - (uint32_t)__builtin_clzll(differs) : 1;
}

static void push(struct tm_retire_queue *queue, uint32_t *list, uint32_t index)
{
	queue->entries[index].next = *list;
	*list = index + 1;
}

static uint32_t pop(struct tm_retire_queue *queue, uint32_t *list)
{
	uint32_t index = *list - 1;

	*list = queue->entries[index].next;
	return index;
}

static void insert(struct tm_retire_queue *queue, uint32_t index)
{
	push(queue, &queue->bucket[bucket_of(queue->entries[index].ktime, queue->watermark)],
	     index);
}

static int grow(struct tm_retire_queue *queue)
{
	uint32_t capacity = queue->capacity ? 2 * queue->capacity : FIRST_CAPACITY;
	struct tm_retire_entry *entries =
		reallocarray(queue->entries, capacity, sizeof(*queue->entries));

	if (!entries)
		return TM_RETIRE_E_FULL;
	queue->entries = entries;
	queue->capacity = capacity;
	return 0;
}

/* Moves the entries into half the memory. If that cannot be had, they stay where they are. */
static void shrink(struct tm_retire_queue *queue)
{
	struct tm_retire_queue less = {.capacity = queue->capacity / 2,
				       .watermark = queue->watermark};

	less.entries = reallocarray(NULL, less.capacity, sizeof(*less.entries));
	if (!less.entries)
		return;
	for (uint32_t i = 0; i < TM_RETIRE_BUCKETS; i++) {
		while (queue->bucket[i]) {
			less.entries[less.used] = queue->entries[pop(queue, &queue->bucket[i])];
			insert(&less, less.used++);
		}
	}
	less.count = less.used;
	free(queue->entries);
	*queue = less;
}

static uint32_t run_due(struct tm_retire_queue *queue)
{
	uint32_t count = 0;

	for (; queue->bucket[0]; count++) {
		uint32_t index = pop(queue, &queue->bucket[0]);
		const struct tm_retire_entry due = queue->entries[index];

		queue->entries[index].fn = NULL; /* spare */
		push(queue, &queue->spare, index);
		queue->count--;
		due.fn(due.context, due.ktime, due.value);
	}
	return count;
}

/*
 * Raises the watermark. Only entries up to the highest bit in which it changed can be due or belong
 * into another bucket; the others keep theirs.
 */
static void raise_watermark(struct tm_retire_queue *queue, uint64_t watermark)
{
	uint32_t highest = bucket_of(watermark, queue->watermark);

	queue->watermark = watermark;
	for (uint32_t i = 1; i <= highest; i++) {
		uint32_t list = queue->bucket[i];

		queue->bucket[i] = 0;
		while (list)
			insert(queue, pop(queue, &list));
	}
}

void tm_retire_deinit(struct tm_retire_queue *queue)
{
	free(queue->entries);
	*queue = (struct tm_retire_queue){0};
}

int tm_retire_reserve(struct tm_retire_queue *queue)
{
	if (queue->count == TM_RETIRE_MAX)
		return TM_RETIRE_E_FULL;
	return queue->spare || queue->used < queue->capacity ? 0 : grow(queue);
}

int tm_retire_at(struct tm_retire_queue *queue, uint64_t ktime, tm_retire_fn fn, void *context,
		 uint64_t value)
{
	uint32_t index;

	if (tm_retire_reserve(queue) != 0)
		return TM_RETIRE_E_FULL;
	index = queue->spare ? pop(queue, &queue->spare) : queue->used++;
	queue->entries[index] = (struct tm_retire_entry){ktime, fn, context, value, 0};
	queue->count++;
	insert(queue, index);
	return 0;
}

uint32_t tm_retire_run(struct tm_retire_queue *queue, uint64_t watermark)
{
	uint32_t count;

	if (watermark > queue->watermark)
		raise_watermark(queue, watermark);
	count = run_due(queue);
	if (queue->capacity > FIRST_CAPACITY && queue->count < queue->capacity / SHRINK_PART)
		shrink(queue);
	return count;
}
