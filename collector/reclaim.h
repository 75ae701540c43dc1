/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * reclaim - deletes BPF map entries of dead processes and unused files, and advances the epoch
 *
 * Process    the entry of a generation is deleted when it was not announced for nearly two epochs,
 *            that of an exited one after one epoch: late samples of a dying process come within
 *            milliseconds, so the tombstone is no longer needed. While the map is nearly full a
 *            tombstone is deleted after RECLAIM_TOMBSTONE_MS, since processes that find no free
 *            entry stay nameless.
 * Number     when its file was not announced for two epochs (while the map is nearly full: little
 *            over one), its entry is marked at the moment F, and no later sample uses the number.
 *            Once W has passed F, every sample with the number is in the shared ring; RETIRE is
 *            pushed behind them, then the entry is deleted and the number is free. A number whose
 *            announcements were all lost, or that was given ahead of the first sample
 *            (bpf/file.bpf.h), is found by comparing the counts of entries, once per epoch.
 * Epoch      BPF advances it every TM_EPOCH_NS; the collector does so too when announcements were
 *            lost. The pause between two such advances starts at RECLAIM_EPOCH_PAUSE_MS and doubles
 *            up to an epoch while losses go on: it backs off, so that re-announcing causes no
 *            further loss.
 * Units      _ms: ms of CLOCK_MONOTONIC; ktime: ns of it.
 * Owner      borrows all that it points to; owns the queue.
 * Limits     a process for which there is no memory is deleted from the map at once, and announced
 *            again.
 * Threads    one.
 */

#include <stdint.h>

#include "collector/unwind_install.h"
#include "shared/retire.h"
#include "shared/ring.h"

#define RECLAIM_EPOCH_MS (TM_EPOCH_NS / 1000000)
#define RECLAIM_QUIET_MS \
	(2 * RECLAIM_EPOCH_MS - 2000) /* deleted within two epochs, W's lag included */
#define RECLAIM_EPOCH_PAUSE_MS 500u
#define RECLAIM_PROCESSES_HIGH 4096u  /* entries from which on it is nearly full */
#define RECLAIM_NUMBERS_HIGH   12288u /* the same for numbers: three quarters of the map */
#define RECLAIM_TOMBSTONE_MS   1000u
#define RECLAIM_NUMBER_SOON_MS (RECLAIM_EPOCH_MS + 1000) /* for a number, while nearly full */
#define RECLAIM_RETRY_MS       100u /* before a number whose file is pending is tried again */

struct reclaim_table {        /* a BPF map */
	int map;              /* descriptor */
	const uint64_t *made; /* entries made so far: a variable of the BPF side */
	uint64_t gone;        /* entries deleted so far */
};

struct reclaim {
	struct reclaim_table processes;
	struct reclaim_table numbers;
	uint32_t *epoch_bumps; /* variable of the BPF side */
	struct file_requests *files;
	struct unwind_install *tables; /* NULL: there are none */
	struct tm_ring_writer *writer;
	struct tm_retire_queue queue;
	uint64_t numbers_known; /* numbers that have an entry in the queue */
	uint64_t looked_ms;
	uint64_t epoch_ms;
	uint64_t pause_ms;
	uint64_t lost; /* announcements lost when the epoch was last advanced for them */
};

/* Return: entries in the map. */
uint64_t reclaim_entries(const struct reclaim_table *table);
/* Takes note of a checked PROCESS, FILE or EXIT that is about to be pushed into the shared ring. */
void reclaim_note(struct reclaim *reclaim, const struct tm_event *event);
/* Takes over what the collector before left in the maps. @adopt: as in unwind_alloc_adopt. */
void reclaim_adopt(struct reclaim *reclaim,
		   int (*adopt)(void *context, uint32_t index, void **ret_memory));
/* Advances the epoch: every sampled process and file is announced again. */
void reclaim_advance_epoch(struct reclaim *reclaim);
/* Does what is due. @w: as published; @lost: announcements lost so far. */
void reclaim_advance(struct reclaim *reclaim, uint64_t w, uint64_t lost, uint64_t now_ms);
void reclaim_deinit(struct reclaim *reclaim);
