/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * reclaim - forgets, behind the watermark, what the kernel room remembers, and turns the epoch
 *
 * Generation its entry goes when nothing was heard of it for nearly two epochs, an exited one after one: late
 *            samples of a dying process come within milliseconds, so its tombstone has done its work. In a
 *            crowd a tombstone goes after RECLAIM_TOMBSTONE_MS, or what finds no room stays nameless.
 * Number     when its file was not announced for two epochs (in a crowd little over one), its entry is
 *            marked: no later sample has it. Once W has passed the moment F of that, all that have it are
 *            in the shared ring; RETIRE follows them there, then the entry goes and the number is free.
 *            One whose announcements were all lost is found by the count of entries, once an epoch.
 * Epoch      BPF turns it every TM_EPOCH_NS, we at once after a lost announcement; the pause between two
 *            such turns starts at RECLAIM_BUMP_MS and doubles up to an epoch while the losses go on, so
 *            that healing does not feed the storm.
 * Limits     what no memory can be had for is forgotten at once, and announces itself again.
 */

#include <stdbool.h>
#include <stdint.h>

#include "collector/unwind_install.h"
#include "shared/retire.h"
#include "shared/ring.h"

#define RECLAIM_EPOCH_MS (TM_EPOCH_NS / 1000000)
#define RECLAIM_QUIET_MS \
	(2 * RECLAIM_EPOCH_MS - 2000) /* gone within two epochs, W's lag included */
#define RECLAIM_BUMP_MS      500u
#define RECLAIM_CROWD        4096u  /* entries of generations; well below the map's size */
#define RECLAIM_FILES_CROWD  12288u /* entries of numbers: three quarters of the map */
#define RECLAIM_TOMBSTONE_MS 1000u
#define RECLAIM_HURRY_MS     (RECLAIM_EPOCH_MS + 1000) /* of a number, in a crowd */
#define RECLAIM_AGAIN_MS     100u /* before a number whose file is under way is tried again */

struct reclaim_table { /* a map of the kernel room */
	int map;
	const uint64_t *made; /* entries so far: a variable of the kernel room */
	uint64_t gone;
};

struct reclaim {
	struct reclaim_table processes;
	struct reclaim_table numbers;
	uint32_t *epoch_bumps; /* variable of the kernel room */
	struct file_requests *files;
	struct unwind_install *tables; /* NULL: there are none */
	struct tm_ring_writer *writer;
	struct tm_retire_queue queue;
	uint64_t heard; /* numbers that we know of */
	uint64_t looked_ms;
	uint64_t bumped_ms;
	uint64_t pause_ms;
	uint64_t lost; /* announcements known to be lost at the last bump */
};

/* The ktime at which a generation is over, if nothing more is heard of it. */
uint64_t reclaim_until(const struct tm_process_state *state, bool crowded);
/* Return: entries in the map. */
uint64_t reclaim_known(const struct reclaim_table *table);
/* A checked PROCESS, FILE or EXIT on its way to the shared ring. */
void reclaim_hear(struct reclaim *life, const struct tm_event *event);
/* Turns the epoch: all that is sampled announces itself again. */
void reclaim_turn(struct reclaim *life);
/* Forgets and turns what is due. @w: as published; @lost: announcements lost so far. */
void reclaim_advance(struct reclaim *life, uint64_t w, uint64_t lost, uint64_t now_ms);
void reclaim_deinit(struct reclaim *life);
