/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * mapping_cache - what earlier samples found out of a process's mappings, for as long as it holds
 *
 * It holds while nobody has locked the mm for writing, no file number or table has changed, and not
 * longer than MAPPING_CACHE_NS, so that what is due to be announced is looked at. On kernels that count no
 * write locks (before 6.4) it holds for one sample.
 */

#include "bpf/nesting.bpf.h"
#include "bpf/task.bpf.h"

#define MAPPING_CACHE_NS 1000000000ull

/* Raised by change_file: numbers and tables may mean something else than before. */
__u32 files_generation;

/* Of the running task's mm. False where there is no such count, or while somebody has the lock. */
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
	return &s->memories[s->walk.memory & (MAPPING_CACHES - 1)];
}

/* Finds the memory of the sample's process, empty if what is in it holds no longer. */
static __always_inline void mapping_cache_begin(struct scratch *s)
{
	const struct tm_event *event = &s->sample.event;
	__u32 generation = *(volatile __u32 *)&files_generation, sequence = 0;
	bool lasting = mapping_cache_sequence(s->walk.mm, &sequence);
	struct mapping_cache *memory;

	s->walk.memory = (__u32)((s->walk.mm * 0x9e3779b97f4a7c15ull) >> 32);
	s->walk.remembers = 1;
	memory = mapping_cache_of(s);
	if (lasting && memory->mm == s->walk.mm && memory->sequence == sequence &&
	    memory->generation == generation && memory->exec_id == event->exec_id &&
	    memory->start_boottime == event->start_boottime &&
	    event->ktime - memory->began < MAPPING_CACHE_NS)
		return;
	memory->mm = lasting ? s->walk.mm : 0;
	memory->start_boottime = event->start_boottime;
	memory->exec_id = event->exec_id;
	memory->sequence = sequence;
	memory->generation = generation;
	memory->used = 0;
	memory->began = event->ktime;
	memory->epoch = 0;
	memory->last = 0;
#pragma unroll
	for (int i = 0; i < MAPPING_CACHE_ENTRIES; i++)
		memory->mappings[i].end = 0;
}

static __always_inline struct mapping_cache_entry *mapping_cache_find(struct scratch *s,
								      __u64 address)
{
	struct mapping_cache *memory = mapping_cache_of(s);
	struct mapping_cache_entry *mapping =
		&memory->mappings[memory->last & (MAPPING_CACHE_ENTRIES - 1)];

	if (address >= mapping->start && address < mapping->end)
		return mapping;
	for (__u32 i = 0; i < MAPPING_CACHE_ENTRIES; i++) {
		mapping = &memory->mappings[i];
		if (address < mapping->start || address >= mapping->end)
			continue;
		memory->last = i;
		return mapping;
	}
	return NULL;
}

static __always_inline void mapping_cache_put(struct scratch *s, __u64 base, __u64 table)
{
	struct mapping_cache *memory = mapping_cache_of(s);
	struct mapping_cache_entry *mapping;

	memory->last = memory->used++;
	mapping = &memory->mappings[memory->last & (MAPPING_CACHE_ENTRIES - 1)];
	mapping->start = s->found.start;
	mapping->end = s->found.end;
	mapping->base = base;
	mapping->table = table;
}
