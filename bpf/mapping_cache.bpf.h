/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * mapping_cache - per-process cache of mapping lookups, invalidated by the mm's lock sequence
 *
 * It is valid while nobody has locked the mm for writing and no file number or unwind table has
 * changed, but not longer than MAPPING_CACHE_NS, so that announcements that are due are made, and
 * not beyond the moment at which all of them become due at once.
 * Kernels before 6.4 do not count write locks; there it is valid for one sample.
 */

#include "bpf/nesting.bpf.h"
#include "bpf/task.bpf.h"

#define MAPPING_CACHE_NS 1000000000ull

/* Raised by change_file: a file number or an unwind table has changed. */
__u32 files_generation;

/* Raised by the collector: after a lost announcement, and for a new symbolizer. */
__u32 epoch_bumps;

/* mm_lock_seq of the running task's mm. False if there is none, or the lock is held for writing. */
static __always_inline bool mapping_cache_sequence(__u64 mm, __u32 *ret_sequence)
{
	if (bpf_core_field_exists(struct mm_struct___seq, mm_lock_seq.sequence)) {
		if (TASK_TYPED)
			*ret_sequence =
				((struct mm_struct___seq *)TASK_NOW()->mm)->mm_lock_seq.sequence;
		else
			*ret_sequence = KERNEL_READ(mm_struct___seq, mm, mm_lock_seq.sequence);
		return !(*ret_sequence & 1);
	}
	if (!bpf_core_field_exists(struct mm_struct, mm_lock_seq))
		return false;
	*ret_sequence = (__u32)KERNEL_READ(mm_struct, mm, mm_lock_seq);
	return true;
}

static __always_inline struct mapping_cache *mapping_cache_of(struct scratch *s)
{
	return &s->mapping_caches[s->walk.mapping_cache & (MAPPING_CACHES - 1)];
}

/* Chooses the cache of the sample's process, and empties it if it is no longer valid. */
static __always_inline void mapping_cache_begin(struct scratch *s)
{
	const struct tm_event *event = &s->sample.event;
	__u32 generation = *(volatile __u32 *)&files_generation +
			   *(volatile __u32 *)&epoch_bumps; /* both only rise */
	__u32 sequence = 0;
	bool has_sequence = mapping_cache_sequence(s->walk.mm, &sequence);
	struct mapping_cache *cache;

	s->walk.mapping_cache = (__u32)((s->walk.mm * 0x9e3779b97f4a7c15ull) >> 32);
	s->walk.has_mapping_cache = true;
	cache = mapping_cache_of(s);
	if (has_sequence && cache->mm == s->walk.mm && cache->sequence == sequence &&
	    cache->generation == generation && cache->exec_id == event->exec_id &&
	    cache->start_boottime == event->start_boottime &&
	    event->ktime - cache->began < MAPPING_CACHE_NS)
		return;
	if (cache->exec_id != event->exec_id || cache->start_boottime != event->start_boottime)
		cache->user = 0;
	cache->mm = has_sequence ? s->walk.mm : 0;
	cache->start_boottime = event->start_boottime;
	cache->exec_id = event->exec_id;
	cache->sequence = sequence;
	cache->generation = generation;
	cache->used = 0;
	cache->began = event->ktime;
	cache->epoch = 0;
	cache->anonymous_epoch = 0;
	cache->last = 0;
	cache->stacks_used = 0;
#pragma unroll
	for (int i = 0; i < MAPPING_CACHE_ENTRIES; i++)
		cache->entries[i].end = 0;
#pragma unroll
	for (int i = 0; i < MAPPING_CACHE_STACKS; i++)
		cache->stacks[i].end = 0;
}

static __always_inline struct mapping_cache_entry *mapping_cache_find(struct scratch *s,
								      __u64 address)
{
	struct mapping_cache *cache = mapping_cache_of(s);
	struct mapping_cache_entry *entry =
		&cache->entries[cache->last & (MAPPING_CACHE_ENTRIES - 1)];

	if (address >= entry->start && address < entry->end)
		return entry;
	for (__u32 i = 0; i < MAPPING_CACHE_ENTRIES; i++) {
		entry = &cache->entries[i];
		if (address < entry->start || address >= entry->end)
			continue;
		cache->last = i;
		return entry;
	}
	return NULL;
}

static __always_inline void mapping_cache_put(struct scratch *s, __u64 base, __u64 table)
{
	struct mapping_cache *cache = mapping_cache_of(s);
	struct mapping_cache_entry *entry;

	cache->last = cache->used++;
	entry = &cache->entries[cache->last & (MAPPING_CACHE_ENTRIES - 1)];
	entry->start = s->mapping.start;
	entry->end = s->mapping.end;
	entry->base = base;
	entry->table = table;
}
