/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * reorder - samples and exits of all CPUs, released in the order in which they happened
 *
 * Invariant  what order_pop gives is older than the W it is given, and never older than what it gave
 *            before, unless a record came in that was older than a W already given (which feed counts).
 * Shape      records of one CPU come almost in order: each lane keeps those of its CPUs as they came,
 *            in chunks, and a heap has the oldest of each lane. What comes older than its lane's newest
 *            (a record that another interrupted) waits in the heap by itself.
 * Limits     ORDER_MAX_BYTES of records wait; then order_has_room says no and the feed stops reading,
 *            so that the ring fills and its writer counts what it drops.
 */

#include <stddef.h>
#include <stdint.h>

#include "shared/event.h"

#define ORDER_MAX_BYTES   (64ull << 20)
#define ORDER_MAX_RECORDS (1u << 20)
#define ORDER_ALL         UINT64_MAX /* a watermark that all have passed, also who claims that time */
#define ORDER_LANES       64u        /* a CPU's lane is its number modulo this */

enum {
	ORDER_E_EMPTY = 1,
	ORDER_E_FULL = 2,
};

struct order_chunk;

struct order_lane {
	struct order_chunk *first; /* oldest; NULL: nothing waits here */
	struct order_chunk *last;
	uint64_t newest; /* ktime; meaningful if something waits */
};

struct order_item {
	uint64_t ktime;
	uint64_t sequence;      /* equal times keep the order of arrival */
	struct tm_event *alone; /* owned; NULL: the oldest of `lane` */
	uint32_t lane;
};

struct order {
	struct order_lane lanes[ORDER_LANES];
	struct order_item *heap;
	uint32_t heap_count;
	uint32_t capacity;
	uint32_t count; /* records that wait */
	uint64_t bytes; /* of them */
	uint64_t sequence;
	struct order_chunk *spare; /* the last one that was emptied */
	struct tm_event *popped;   /* owned: the record given last, if it was alone */
};

void order_deinit(struct order *order);
int order_has_room(const struct order *order);
/* Copies. Return: 0, ORDER_E_FULL (limits, or no memory; the caller counts). */
int order_push(struct order *order, const struct tm_event *record);
/* The oldest record below @watermark (ORDER_ALL: or at it), good until the next push or pop. Return: 0, ORDER_E_EMPTY. */
int order_pop(struct order *order, uint64_t watermark, const struct tm_event **ret_record);
