/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * life - sweeps the generations that the kernel room remembers, and turns the epoch
 *
 * Sweep      an entry goes when nothing was heard of it for two epochs, an exited one after one: late
 *            samples of a dying process come within milliseconds, so its tombstone has done its work.
 * Crowd      a storm of short lives fills the map within an epoch, and what finds no room there stays
 *            nameless; so after every LIFE_CROWD announcements exited entries go early.
 * Epoch      BPF turns it by itself every LIFE_EPOCH_MS; the collector raises it at once after a lost
 *            announcement; the pause between two such turns starts at LIFE_BUMP_MS and doubles up to an
 *            epoch while the losses go on, so that healing does not feed the storm.
 */

#include <stdbool.h>
#include <stdint.h>

#include "shared/event.h"

#define LIFE_EPOCH_MS     15000u
#define LIFE_BUMP_MS      500u
#define LIFE_CROWD        4096u /* announcements between two early sweeps; well below the map's size */
#define LIFE_TOMBSTONE_MS 1000u /* age of what an early sweep takes */

struct life {
	int processes;         /* map descriptor */
	uint32_t *epoch_bumps; /* variable of the kernel room */
	uint64_t swept_ms;
	uint64_t bumped_ms;
	uint64_t pause_ms;
	uint64_t lost;      /* announcements known to be lost at the last bump */
	uint64_t announced; /* generations, at the last early sweep */
};

/* The rule of the sweep. */
bool life_is_over(const struct tm_process_state *state, uint64_t now_ns);
/* The rule of an early sweep, on top of that one. */
bool life_left_room(const struct tm_process_state *state, uint64_t now_ns);
/* Turns the epoch: all that is sampled announces itself again. */
void life_turn(struct life *life);
/* Sweeps and bumps what is due. @announced: generations so far, each counted as often as announced;
 * @lost: announcements lost so far. */
void life_advance(struct life *life, uint64_t announced, uint64_t lost, uint64_t now_ms);
