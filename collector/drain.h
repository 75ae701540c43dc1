/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * drain - moves records from the per-CPU BPF rings into the shared ring
 *
 * Round      the caller reads the marks, then calls drain_note, then drain_run, and only then
 *            publishes (HACKING, The watermark).
 * Shape      each record is copied once and checked; its kernel addresses are rebased and the
 *            fields that only the collector may see are zeroed; file_requests.h learns of files,
 *            reclaim.h of all announcements and exits.
 * Loss       every record that is not pushed is counted: malformed, shared_full, announce_lost,
 *            methods_lost.
 * Owner      rings, writer and the other parts stay the caller's.
 * Threads    one. Never waits.
 */

#include <stdint.h>

#include "collector/bpfring.h"
#include "collector/file_requests.h"
#include "collector/kallsyms.h"
#include "collector/reclaim.h"
#include "shared/ring.h"

struct drain {
	struct bpfring *rings;
	uint64_t *limits; /* noted position of each */
	unsigned count;
	struct tm_ring_writer *writer;
	struct kallsyms *symbols;
	struct file_requests *files;
	struct reclaim *reclaim; /* NULL: nothing is reclaimed */

	uint64_t pushed;
	uint64_t malformed;
	uint64_t shared_full;
	uint64_t announce_lost;
	uint64_t methods_lost;
	struct tm_off_cpu_counts off_cpu; /* pushed and dropped; what stands above is on-CPU's */
	unsigned fullest_percent;         /* of the fullest ring, since the caller set it to 0 */
	_Alignas(8) uint8_t record[TM_EVENT_MAX_BYTES];
};

/* @rings: opened; stay the caller's, who may raise drain->count up to @capacity. Return: 0,
 * -ENOMEM. */
int drain_init(struct drain *drain, struct bpfring *rings, unsigned count, unsigned capacity);
void drain_deinit(struct drain *drain);

/* Notes every ring's producer position. */
void drain_note(struct drain *drain);
/* Drains to the noted positions. Return: rings that stopped at a record still being written. */
unsigned drain_run(struct drain *drain, uint64_t now_ms);
/* Lets the kernel overwrite what was drained: not before it is published, since whoever goes on
 * after a collector that was killed reads again what was not. */
void drain_commit(struct drain *drain);
