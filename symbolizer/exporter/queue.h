/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * queue - the bodies that wait to be sent, the oldest first, bounded in bytes and in number
 *
 * Shape      an array used as a ring. The first body may be under way; its bytes do not move.
 * Owner      the queue owns the bytes of its bodies; those that are taken out become the caller's.
 * Limits     `bytes_max` bytes, EXPORTER_BODIES_MAX bodies; what is dropped to make room is decided
 *            by the caller (delivery.h), who counts it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolizer/exporter/exporter.h"

struct body {
	uint64_t id;
	uint64_t samples;
	void *bytes; /* owned */
	size_t count;
	bool is_gzip;
	uint32_t attempts;
	uint32_t http_status; /* of the last answer; 0: none */
	int64_t first_ms;     /* of the first attempt */
	int64_t due_ms;       /* of the next one, once the exporter is to end */
};

struct queue {
	struct body bodies[EXPORTER_BODIES_MAX];
	unsigned first, count;
	uint64_t bytes, bytes_max;
};

bool queue_fits(const struct queue *queue, size_t bytes);
/* Only what fits. @body: its bytes become the queue's. */
void queue_push(struct queue *queue, const struct body *body);
/* Return: the oldest body, borrowed; NULL: there is none. */
struct body *queue_first(struct queue *queue);
/* Takes the oldest body out, or, with @behind_first, the one behind it. Return: whether there is
 * one. */
bool queue_take(struct queue *queue, bool behind_first, struct body *ret_body);
/* Puts the first body behind all others. */
void queue_rotate(struct queue *queue);
void queue_deinit(struct queue *queue);
