/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * order - samples and exits of all CPUs, released in the order in which they happened
 *
 * Invariant  what order_pop gives is older than the W it is given, and never older than what it gave
 *            before, provided that nothing older than a W is pushed after order_pop was given that W.
 * Limits     ORDER_MAX_BYTES of records wait; then order_has_room says no and the feed stops reading,
 *            so that the ring fills and its writer counts what it drops.
 */

#include <stddef.h>
#include <stdint.h>

#include "shared/event.h"

#define ORDER_MAX_BYTES   (64ull << 20)
#define ORDER_MAX_RECORDS (1u << 20)

enum {
	ORDER_E_EMPTY = 1,
	ORDER_E_FULL = 2,
};

struct order_item {
	uint64_t ktime;
	uint64_t sequence; /* equal times keep the order of arrival */
	struct tm_event *record;
};

struct order {
	struct order_item *heap;
	uint32_t count;
	uint32_t capacity;
	uint64_t bytes;
	uint64_t sequence;
};

void order_deinit(struct order *order);
int order_has_room(const struct order *order);
/* Copies. Return: 0, ORDER_E_FULL (limits, or no memory; the caller counts). */
int order_push(struct order *order, const struct tm_event *record);
/* The oldest record below @watermark; the caller frees it. Return: 0, ORDER_E_EMPTY. */
int order_pop(struct order *order, uint64_t watermark, struct tm_event **ret_record);
