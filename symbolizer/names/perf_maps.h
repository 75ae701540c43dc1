/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * perf_maps - takes the perf maps of sampled processes, each of which must be its process's own
 *
 * Whose      a map belongs to the process if its owner is the process's user, if it has one link,
 *            and if it was last written neither before the process began nor after it had exited,
 *            nor while the same process ran another program. Any other is refused, with the reason.
 *            The others are read by jit_files.h.
 * Order      a descriptor may come before the announcement that it answers: it is kept
 *            (PERF_MAPS_EARLY) until that was read, at most for PERF_MAPS_EARLY_MS.
 * Limits     maps beyond those of jit_files.h are refused (TM_NO_FILE_LIMIT).
 * Threads    the reader's.
 */

#include "symbolizer/names/jit_files.h"

#define PERF_MAPS_EARLY    32u
#define PERF_MAPS_EARLY_MS 2000

struct perf_maps_early { /* an answer of the collector whose announcement was not read yet */
	int fd;          /* owned; -1: no map was opened, for `reason` */
	uint32_t tgid;
	uint64_t ktime; /* 0: the place is free */
	int64_t until_ms;
	uint8_t reason; /* enum tm_no_file */
};

struct perf_maps {
	struct jit_files *jit; /* borrowed */
	struct perf_maps_early early[PERF_MAPS_EARLY];
	uint32_t waiting; /* early answers */
};

void perf_maps_init(struct perf_maps *maps, struct jit_files *jit);
void perf_maps_deinit(struct perf_maps *maps);
/* A PERF_MAP message, not validated. @context: the maps. @fd: taken; -1: none. */
void perf_maps_answer(void *context, const struct tm_wire *message, int fd);
/* Takes what came early and is announced by now. */
void perf_maps_round(struct perf_maps *maps);
