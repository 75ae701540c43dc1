/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * table_cache_thread - the thread that reads and writes the cache, so that its disk stops nothing
 *
 * Order      the index first, then what was asked for, then what is to be written.
 * Threads    started before the sandbox. It sleeps while the cache has nothing to do.
 * End        a disk that hangs is not waited for: TABLE_CACHE_STOP_MS.
 */

#include "symbolizer/unwind/table_cache.h"

#define TABLE_CACHE_STOP_MS 2000

struct table_cache_thread {
	pthread_t thread;
	struct table_cache *cache; /* borrowed; its lock is that of `running` to `ended` */
	bool running;
	bool stopping;
	bool ended;
	bool started;
	int ready[2]; /* a socket pair: a message in [0] after each answer and the last write */
};
#define TABLE_CACHE_THREAD_NULL ((struct table_cache_thread){.ready = {-1, -1}})

/* @cache may be opened later. Return: 0, -errno. */
int table_cache_thread_start(struct table_cache_thread *thread, struct table_cache *cache);
/* Empties ready[0]. Never waits. */
void table_cache_thread_round(const struct table_cache_thread *thread);
/*
 * Return: whether it has ended, and the cache may be closed. What the cache has queued stays in the
 * queue.
 */
bool table_cache_thread_stop(struct table_cache_thread *thread);
