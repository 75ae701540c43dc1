/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * warm_start - sends unwind tables of the cache before the first sample, the last used first
 *
 * Which      a file's table is sent under the identity that the cache has it under, and used only
 *            for a file that is sampled with that very identity, ctime included. Not sent: what is
 *            on a device of major number 0, whose numbers are used again within a boot, nor what
 *            the cache has from another boot, unless its file system is known (file_systems.h).
 * Use        it counts as used once its file is sampled: then that is handed over like any other,
 *            and its table is sent again, by unwind_jobs.
 * Wait       never; sampling begins when the last message came, so the time is limited.
 * Limits     WARM_START_MS, WARM_START_BYTES; what exceeds them is sent when its file is sampled.
 * Owner      cache and wire stay the caller's.
 */

#include <stdbool.h>

#include "symbolizer/unwind/table_cache_requests.h"

#define WARM_START_MS    500
#define WARM_START_BYTES (16ull << 20) /* half of what the collector has for tables by default */

enum warm_start_state {
	WARM_START_UNREAD, /* the cache's index is not known yet */
	WARM_START_NEXT,   /* the cache is to be asked for the next one */
	WARM_START_ASKED,
	WARM_START_FOUND, /* it is to be sent */
	WARM_START_LAST,  /* that no other one comes is to be sent */
	WARM_START_ENDED,
};

struct warm_start {
	struct table_cache *cache;
	int wire;
	enum warm_start_state state;
	struct table_cache_entry *entries; /* owned: copies, in the order in which they are sent */
	uint32_t count;
	uint32_t next;
	uint32_t request; /* ASKED: to the cache */
	int table;        /* owned; FOUND */
	uint64_t end_ms;  /* 0: not begun yet */
};

void warm_start_init(struct warm_start *warm, struct table_cache *cache, int wire);
void warm_start_deinit(struct warm_start *warm);
/* Goes on as far as it can. @begun: there have been samples: nothing is sent. */
void warm_start_round(struct warm_start *warm, bool begun, uint64_t now_ms);
/* Whether a message waits until the socket has room for it. */
bool warm_start_must_send(const struct warm_start *warm);
