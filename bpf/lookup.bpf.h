/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * lookup - looks up mappings of the sampled process, again while they change
 *
 * Files      a struct file that is freed is reused at once (from 6.7 on), so what was read from it
 *            is the mapping's only if that stands afterwards: a file is let go after its mapping
 *            has left the tree.
 */

#include "bpf/mapping_cache.bpf.h"

/* For tests: so many readings of the clock pass before a file is identified. */
__u32 delay_reads;

__noinline int lookup_delay(__u32 reads)
{
	__u64 last = 0;

	for (__u32 i = 0; i < 1000 && i < reads; i++)
		last = bpf_ktime_get_ns();
	return last != 0;
}

/* Looks the mapping up once, into s->found. The verifier checks it by itself. */
__noinline int lookup_try(__u32 level, __u64 address)
{
	struct scratch *s = nesting_scratch(level);

	return s ? vma_try(&s->block, s->walk.mm, address, &s->found) : VMA_BUSY;
}

/* Likewise into s->again. */
__noinline int lookup_again(__u32 level, __u64 address)
{
	struct scratch *s = nesting_scratch(level);

	return s ? vma_try(&s->block, s->walk.mm, address, &s->again) : VMA_BUSY;
}

/* Whether the mapping s->found is what it was when it was looked up. Most of the time nobody has
 * begun to change the mm since the sample began, where the kernel counts that. */
static __always_inline bool lookup_stands(struct scratch *s, __u32 level)
{
	const struct mapping_cache *cache = mapping_cache_of(s);
	__u32 sequence;

	if (bpf_core_field_exists(struct mm_struct___seq, mm_lock_seq.sequence) && cache->mm &&
	    mapping_cache_sequence(s->walk.mm, &sequence) && sequence == cache->sequence)
		return true;
	s->counts.bpf.lookups++;
	return lookup_again(level, s->found.start) == VMA_FOUND && vma_same(&s->found, &s->again);
}

/* Return: enum vma_status; VMA_FOUND: it is s->found. */
static __always_inline int lookup_mapping(struct scratch *s, __u32 level, __u64 address)
{
	int status;

	s->counts.bpf.lookups++;
	status = lookup_try(level, address);
	for (int i = 1; i < VMA_TRIES && status == VMA_BUSY; i++) {
		s->counts.bpf.lookup_retries++;
		status = lookup_try(level, address);
	}
	return status;
}
