/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * reorder - samples and exits of all CPUs, released in the order in which they happened
 *
 * Invariant  what reorder_pop gives is older than the W it is given, and never older than what it
 *            gave before, unless a record came in that was older than a W already given (which feed
 *            counts).
 * Shape      records of one CPU come almost in order: each lane keeps those of its CPUs as they
 *            came, in chunks, and a heap has the oldest of each lane. What comes older than its
 *            lane's newest (a record that another interrupted) waits in the heap by itself.
 * Limits     REORDER_MAX_BYTES of records wait; then reorder_has_room says no and the feed stops
 *            reading, so that the ring fills and its writer counts what it drops.
 */

#include <stddef.h>
#include <stdint.h>

#include "shared/event.h"

#define REORDER_MAX_BYTES   (64ull << 20)
#define REORDER_MAX_RECORDS (1u << 20)
#define REORDER_ALL         UINT64_MAX /* a watermark above every record */
#define REORDER_LANES       64u        /* a CPU's lane is its number modulo this */

enum {
	REORDER_E_EMPTY = 1,
	REORDER_E_FULL = 2,
};

struct reorder_chunk;

struct reorder_lane {
	struct reorder_chunk *first; /* oldest; NULL: nothing waits here */
	struct reorder_chunk *last;
	uint64_t newest; /* ktime; meaningful if something waits */
};

struct reorder_item {
	uint64_t ktime;
	uint64_t sequence;      /* equal times keep the order of arrival */
	struct tm_event *alone; /* owned; NULL: the oldest of `lane` */
	uint32_t lane;
};

struct reorder {
	struct reorder_lane lanes[REORDER_LANES];
	struct reorder_item *heap;
	uint32_t heap_count;
	uint32_t capacity;
	uint32_t count; /* records that wait */
	uint64_t bytes; /* of them */
	uint64_t sequence;
	struct reorder_chunk *spare; /* the last one that was emptied */
	struct tm_event *popped;     /* owned: the record given last, if it was alone */
};

void reorder_deinit(struct reorder *order);
int reorder_has_room(const struct reorder *order);
/* Copies. Return: 0, REORDER_E_FULL (limits, or no memory; the caller counts). */
int reorder_push(struct reorder *order, const struct tm_event *record);
/*
 * The oldest record below @watermark (REORDER_ALL: or at it), good until the next push or pop.
 * Return: 0, REORDER_E_EMPTY.
 */
int reorder_pop(struct reorder *order, uint64_t watermark, const struct tm_event **ret_record);
