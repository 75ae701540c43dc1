/* SPDX-License-Identifier: Apache-2.0 */
/* queue - the bodies that wait to be sent, the oldest first, bounded in bytes and in number */

#include "symbolizer/exporter/queue.h"

#include <stdlib.h>

static struct body *at(struct queue *queue, unsigned index)
{
	return &queue->bodies[(queue->first + index) % EXPORTER_BODIES_MAX];
}

bool queue_fits(const struct queue *queue, size_t bytes)
{
	return queue->count < EXPORTER_BODIES_MAX && queue->bytes <= queue->bytes_max &&
	       bytes <= queue->bytes_max - queue->bytes;
}

void queue_push(struct queue *queue, const struct body *body)
{
	*at(queue, queue->count++) = *body;
	queue->bytes += body->count;
}

struct body *queue_first(struct queue *queue)
{
	return queue->count > 0 ? at(queue, 0) : NULL;
}

bool queue_take(struct queue *queue, bool behind_first, struct body *ret_body)
{
	unsigned index = behind_first ? 1 : 0;

	if (queue->count <= index)
		return false;
	*ret_body = *at(queue, index);
	if (behind_first)
		*at(queue, 1) = *at(queue, 0);
	queue->first = (queue->first + 1) % EXPORTER_BODIES_MAX;
	queue->count--;
	queue->bytes -= ret_body->count;
	return true;
}

void queue_rotate(struct queue *queue)
{
	struct body body;

	if (queue_take(queue, /* behind_first= */ false, &body))
		queue_push(queue, &body);
}

void queue_deinit(struct queue *queue)
{
	struct body body;

	while (queue_take(queue, /* behind_first= */ false, &body))
		free(body.bytes);
}
