/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * symbolizer_child - a program that works for the symbolizer or the collector over a socket
 *
 * Nothing depends on it: where it cannot be started, or ends, that is printed, and the recording
 * goes on without it.
 */

#include <stdbool.h>
#include <stdint.h>

#include "cli/child.h"
#include "cli/starter_client.h"

struct symbolizer_child {
	struct child child;         /* the last one; the one before is killed */
	uint64_t cpu_ns, rss_bytes; /* of those that ended */
};
#define SYMBOLIZER_CHILD_NULL ((struct symbolizer_child){.child = CHILD_NULL})

/* Return: the other end of its socket; -1: it could not be started, which is printed. */
int symbolizer_child_start(struct symbolizer_child *child, struct starter_client *starter,
			   enum program_paths_program program);
/* Its process has ended by itself. @consequence: for the user. */
void symbolizer_child_lose(struct symbolizer_child *child, const char *consequence);
/* The same, of one whose socket may have been closed before: then it is expected to end well. */
void symbolizer_child_end(struct symbolizer_child *child, bool expected, const char *consequence);
/* Kills it, if it still runs. Total. */
void symbolizer_child_stop(struct symbolizer_child *child);
/* The same, but it has so many ms to end by itself. */
void symbolizer_child_await(struct symbolizer_child *child, unsigned ms);
