/* SPDX-License-Identifier: Apache-2.0 */
/* counts - reads counters that BPF programs may be raising, each once */

#include "collector/counts.h"

#include <stdatomic.h>

/* Relaxed: a counter only grows, and no other memory is concluded from it. */
static uint64_t read_once(const uint64_t *counter)
{
	return atomic_load_explicit((const _Atomic uint64_t *)counter, memory_order_relaxed);
}

void counts_add_slot(struct tm_counts *counts, const struct tm_cpu_slot *slot)
{
	uint64_t nested = read_once(&slot->nested);
	uint64_t no_ring = read_once(&slot->no_ring);

	counts->hits += read_once(&slot->hits);
	counts->drops[TM_DROP_NESTED] += nested;
	counts->drops[TM_DROP_NO_RING] += no_ring;
	counts->taken += nested + no_ring;
	counts->announce_lost += read_once(&slot->lost_announces);
}

void counts_add_level(struct tm_counts *counts, const struct tm_level_counts *level)
{
	/* drops before taken: BPF raises taken first */
	counts->drops[TM_DROP_RING_FULL] +=
		atomic_load_explicit((const _Atomic uint64_t *)&level->ring_full,
				     memory_order_acquire);
	counts->taken += read_once(&level->taken);
	counts->exiting += read_once(&level->exiting);
	counts->announce_lost += read_once(&level->announce_lost);
	counts->processes_full += read_once(&level->processes_full);
	counts->files_full += read_once(&level->files_full);
	counts->lookups += read_once(&level->lookups);
	counts->lookup_cached += read_once(&level->lookup_cached);
	counts->lookup_retries += read_once(&level->lookup_retries);
}

int64_t counts_missing(const struct tm_counts *counts)
{
	uint64_t known = counts->pushed;

	for (unsigned i = 0; i < TM_DROP_N; i++)
		known += counts->drops[i];
	return (int64_t)(counts->taken - known);
}
