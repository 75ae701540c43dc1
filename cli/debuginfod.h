/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * debuginfod - starts tidemark-debuginfod, which fetches debug files for one symbolizer
 *
 * It runs under an account of its own, without any capability. Nothing depends on it: where it
 * cannot be started, or ends, that is printed, and the recording goes on without what it would have
 * fetched. Another symbolizer gets another one.
 */

#include <stdint.h>

#include "cli/child.h"
#include "cli/debuginfod_urls.h"
#include "cli/uid_pool.h"

struct debuginfod {
	struct child child;         /* the last one; the one before is killed */
	uint64_t cpu_ns, rss_bytes; /* of those that ended */
};
#define DEBUGINFOD_NULL ((struct debuginfod){.child = CHILD_NULL})

/*
 * Starts it if there is a server. @program: descriptor of tidemark-debuginfod, the caller's.
 * Return: the symbolizer's end of its socket; -1: there is none.
 */
int debuginfod_start(struct debuginfod *debuginfod, const struct debuginfod_urls *urls, int program,
		     struct uid_pool_account account);
/* Its process has ended by itself. */
void debuginfod_lose(struct debuginfod *debuginfod);
/* Kills it, if it still runs. Total. */
void debuginfod_stop(struct debuginfod *debuginfod);
