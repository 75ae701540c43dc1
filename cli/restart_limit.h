/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * restart_limit - how often a program that ended is started again: so often within a minute
 *
 * What ends one may end every one. A program that ends now and then is started again for ever.
 */

#include <stdbool.h>
#include <stdint.h>

#define RESTART_LIMIT_MAX       5u
#define RESTART_LIMIT_WITHIN_NS 60000000000ull

struct restart_limit {
	uint64_t started_ns[RESTART_LIMIT_MAX]; /* CLOCK_MONOTONIC; in turn */
	unsigned started;                       /* in all */
	unsigned refused;                       /* in all */
};

/* Whether another one may start at @now_ns; if so, it counts as started. */
bool restart_limit_allows(struct restart_limit *limit, uint64_t now_ns);
/* Return: when the next one may start. */
uint64_t restart_limit_next_ns(const struct restart_limit *limit);
