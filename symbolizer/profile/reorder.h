/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * reorder - sorts the samples and exits of all CPUs by time
 *
 * Invariant  reorder_pop returns records older than the W it is called with, in ascending order of
 *            time, except a record that was pushed only after the W of an earlier call had passed
 *            it; the reader counts these as late.
 * Shape      records of one CPU arrive almost in order. Each lane is a list of chunks with the
 *            records of its CPUs as they arrived, and a heap has the oldest record of each lane. A
 *            record older than the newest in its lane (which happens when an interrupt takes a
 *            sample between time and push of another one) is put into the heap by itself.
 * Limits     at most REORDER_MAX_BYTES wait, and half of what the budget allows. When
 *            reorder_has_space is false the reader stops reading, so that the ring fills up and
 *            the collector counts what it drops.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/event.h"
#include "symbolizer/base/budget.h"

#define REORDER_MAX_BYTES   (64ull << 20)
#define REORDER_MAX_RECORDS (1u << 20)
#define REORDER_ALL         UINT64_MAX /* a watermark above every record */
#define REORDER_LANES       64u        /* CPU n belongs to lane n modulo this */

enum {
	REORDER_E_EMPTY = 1,
	REORDER_E_FULL = 2,
};

struct reorder_chunk;

struct reorder_lane {
	struct reorder_chunk *first; /* oldest; NULL: the lane is empty */
	struct reorder_chunk *last;
	uint64_t newest; /* ktime of the last record; valid unless the lane is empty */
};

struct reorder_item {
	uint64_t ktime;
	uint64_t sequence;      /* order of arrival, which decides between equal times */
	struct tm_event *alone; /* owned copy of a record; NULL: the oldest in `lane` */
	uint32_t lane;
};

struct reorder {
	struct reorder_lane lanes[REORDER_LANES];
	struct reorder_item *heap;
	uint32_t heap_count;
	uint32_t capacity;
	uint32_t count; /* waiting records */
	uint64_t bytes; /* of the waiting records */
	uint64_t sequence;
	struct reorder_chunk *spare; /* the chunk emptied last, for reuse */
	struct tm_event *popped;     /* owned: the record returned last, if it was `alone` */
	struct budget *budget;       /* borrowed; NULL: none */
};

void reorder_deinit(struct reorder *order);
/* Whether one more record of any size fits. */
bool reorder_has_space(const struct reorder *order);
/* Copies @record. Return: 0, REORDER_E_FULL (limit reached or out of memory). */
int reorder_push(struct reorder *order, const struct tm_event *record);
/*
 * Removes the oldest record below @watermark (with REORDER_ALL: any), which stays valid until the
 * next push or pop.
 * Return: 0, REORDER_E_EMPTY.
 */
int reorder_pop(struct reorder *order, uint64_t watermark, const struct tm_event **ret_record);
