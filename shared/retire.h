/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * retire - queue of callbacks that run once the watermark has passed their ktime
 *
 * Shape      a monotone radix queue: the watermark only rises, so an entry waits in the bucket of
 *            the highest bit in which its ktime differs from it. When the watermark rises, the
 *            buckets up to the highest bit that changed are redistributed; the others are not
 *            touched. An entry moves at most once per bit, and the cost of finding what is due does
 *            not depend on the number of entries that wait.
 * Units      ktime: ns of CLOCK_MONOTONIC, as in records.
 * Order      an entry is due when the watermark is above its ktime: every record up to that ktime
 *            has been seen then (HACKING, The watermark). Entries that become due together run in
 *            any order.
 * Owner      @context stays the caller's and must outlive the entry. Entries cannot be cancelled:
 *            the callback checks whether its reason still holds, and a later reason has its own
 *            entry.
 * Limits     TM_RETIRE_MAX entries.
 * Threads    one. A callback may add entries; those already due run in the same call.
 * Source     R. K. Ahuja et al., Faster Algorithms for the Shortest Path Problem, 1990 (radix
 *            heap).
 */

#include <stdint.h>

#define TM_RETIRE_MAX (1u << 22)
#define TM_RETIRE_BUCKETS \
	66 /* 0: due; 1: equal to the watermark; n: the highest differing bit is n - 2 */

typedef void (*tm_retire_fn)(void *context, uint64_t ktime, uint64_t value);

struct tm_retire_entry {
	uint64_t ktime;
	tm_retire_fn fn; /* NULL: the entry is unused */
	void *context;
	uint64_t value;
	uint32_t next; /* index + 1 of the next in its list; 0: none */
};

struct tm_retire_queue { /* all zero: empty */
	struct tm_retire_entry *entries;
	uint32_t capacity;
	uint32_t used;  /* entries of the capacity that were ever in use */
	uint32_t spare; /* list of those that are unused again */
	uint32_t count; /* entries that wait */
	uint64_t watermark;
	uint32_t bucket[TM_RETIRE_BUCKETS]; /* lists */
};

enum {
	TM_RETIRE_E_FULL = 1, /* TM_RETIRE_MAX entries, or no memory: nothing was added */
};

void tm_retire_deinit(struct tm_retire_queue *queue);
/* Allocates one entry, so that the next tm_retire_at cannot fail. Return: 0, TM_RETIRE_E_FULL. */
int tm_retire_reserve(struct tm_retire_queue *queue);
/* Calls @fn once the watermark is above @ktime. Return: 0, TM_RETIRE_E_FULL. */
int tm_retire_at(struct tm_retire_queue *queue, uint64_t ktime, tm_retire_fn fn, void *context,
		 uint64_t value);
/* Runs what is due; a watermark lower than the last one is ignored. Return: callbacks that ran. */
uint32_t tm_retire_run(struct tm_retire_queue *queue, uint64_t watermark);
