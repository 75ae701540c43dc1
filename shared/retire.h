/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * retire - what is to be forgotten once the watermark has passed a moment
 *
 * Shape      a radix queue: since the watermark only rises, an entry waits in the bucket of the highest
 *            bit in which its ktime differs from the watermark. A rise empties all buckets below its
 *            own highest bit and sorts one anew; the others are not looked at. So an entry is touched
 *            at most once a bit, and finding the due ones does not depend on how many wait.
 * Units      ktime: ns of CLOCK_MONOTONIC, as in records.
 * Order      an entry is due when the watermark is above its ktime: then every record up to it has been
 *            seen (DESIGN 4.3). Those that fall due together run in any order.
 * Owner      @context stays the caller's and must outlive the entry; nothing is taken back early: a
 *            callback looks whether its reason still holds, and a younger one has an entry of its own.
 * Limits     TM_RETIRE_MAX entries.
 * Threads    one. A callback may add entries; those that are due already run in the same call.
 */

#include <stdint.h>

#define TM_RETIRE_MAX (1u << 22)
#define TM_RETIRE_BUCKETS \
	66 /* 0: due; n: 64-bit times that differ first in bit n - 2; 1: in none */

typedef void (*tm_retire_fn)(void *context, uint64_t ktime, uint64_t value);

struct tm_retire_entry {
	uint64_t ktime;
	tm_retire_fn fn; /* NULL: spare */
	void *context;
	uint64_t value;
	uint32_t next; /* index + 1 in its list; 0: the last */
};

struct tm_retire_queue { /* all zero: empty */
	struct tm_retire_entry *entries;
	uint32_t capacity;
	uint32_t used;  /* entries ever taken of the capacity */
	uint32_t spare; /* list of those given back */
	uint32_t count; /* that wait */
	uint64_t watermark;
	uint32_t bucket[TM_RETIRE_BUCKETS]; /* lists */
};

enum {
	TM_RETIRE_E_FULL =
		1, /* TM_RETIRE_MAX, or no memory: the caller keeps what it has, and counts */
};

void tm_retire_deinit(struct tm_retire_queue *queue);
/* Makes room for one entry, so that the next tm_retire_at does not fail. Return: 0, TM_RETIRE_E_FULL. */
int tm_retire_reserve(struct tm_retire_queue *queue);
/* Return: 0, TM_RETIRE_E_FULL. */
int tm_retire_at(struct tm_retire_queue *queue, uint64_t ktime, tm_retire_fn fn, void *context,
		 uint64_t value);
/* Runs what is due; a watermark lower than before counts as that one. Return: how many ran. */
uint32_t tm_retire_run(struct tm_retire_queue *queue, uint64_t watermark);
