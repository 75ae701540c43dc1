/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * mapping_search - looks through a process's mappings for those that it made to be found
 *
 * Bounds     at most SEARCH_MAPPINGS mappings are looked at for a sample and a kind; the process's
 *            next sample goes on where this one ended.
 * Memory     the state is kept with the generation. What was found is looked at again whenever the
 *            generation is announced. Where nothing was found, it is searched again then if its
 *            mappings may have changed; for the context also before, since most processes publish
 *            it soon after their start: after SEARCH_WAIT_MS, and twice as long each time.
 * Trust      the tree and the list change while they are read, so that a mapping may be missed
 *            until the next search. What seems to be found is checked by its kind.
 */

#include "bpf/jitdump.bpf.h"
#include "bpf/mapping_cache.bpf.h"
#include "bpf/process_context.bpf.h"

#define SEARCH_MAPPINGS    64u /* a sample */
#define SEARCH_STEPS       16  /* a sample; a step looks at one node, or at so many mappings: */
#define SEARCH_STEP        16u

#define SEARCH_WAIT_MS     250u
#define SEARCH_WAIT_MS_MAX ((__u32)(TM_EPOCH_NS >> 20))

#define MAPLE_LEAF_SLOTS   16u /* the first is word 16 of the node */

/* Whether a VMA above the position seems to be what is searched. Its range is then in s->found. */
static __always_inline bool search_is_marker(struct scratch *s, __u32 level, __u64 vma)
{
	if (s->search_kind == SEARCH_JITDUMP ? !jitdump_is_marker(level, vma)
					     : !process_context_is_marker(level, vma))
		return false;
	s->found.start = KERNEL_READ(vm_area_struct, vma, vm_start);
	s->found.end = KERNEL_READ(vm_area_struct, vma, vm_end);
	return s->found.end > s->search.at;
}

/*
 * Looks at the VMAs of the maple tree's leaf that covers the position, and moves that behind it.
 * Slots behind the leaf's last one may hold anything: what is no VMA is not taken for the marker.
 * Return: whether one seems to be the marker.
 */
static __always_inline bool search_in_leaf(struct scratch *s, __u32 level)
{
	struct vma_hit hit = {};
	__u64 vma;
	int status;

	status = maple_find(&s->block, s->walk.mm, s->search.at, &hit);
	if (status == VMA_BUSY) {
		s->search_left = 0; /* again with the next sample */
		return 0;
	}
	if (status == VMA_DEEP || !hit.node_last) {
		s->search.status = SEARCH_ABSENT;
		return 0;
	}
	for (__u32 i = 0; i < MAPLE_LEAF_SLOTS; i++) {
		vma = s->block.words[MAPLE_LEAF_SLOTS + i];
		if (!vma || vma & 3)
			continue;
		s->search_left--;
		if (search_is_marker(s, level, vma))
			return 1;
	}
	s->search.at = hit.node_last + 1;
	if (hit.node_last >> 63)
		s->search.status = SEARCH_ABSENT;
	return 0;
}

/* The first VMA that ends above the position, in a red-black tree. 0: none. */
static __always_inline __u64 search_first_in_tree(struct scratch *s)
{
	__u64 node = (__u64)KERNEL_READ(mm_struct, s->walk.mm, mm_rb.rb_node), vma, first = 0;

	for (int i = 0; i < RB_DEPTH && node; i++) {
		vma = node - bpf_core_field_offset(struct vm_area_struct, vm_rb);
		if (KERNEL_READ(vm_area_struct, vma, vm_end) > s->search.at) {
			first = vma;
			node = (__u64)KERNEL_READ(vm_area_struct, vma, vm_rb.rb_left);
		} else {
			node = (__u64)KERNEL_READ(vm_area_struct, vma, vm_rb.rb_right);
		}
	}
	return first;
}

/* The same where the VMAs are in a red-black tree and in a list. */
static __always_inline bool search_in_list(struct scratch *s, __u32 level)
{
	__u64 vma = search_first_in_tree(s), end;

	for (__u32 i = 0; i < SEARCH_STEP && vma; i++) {
		end = KERNEL_READ(vm_area_struct, vma, vm_end);
		if ((__u64)KERNEL_READ(vm_area_struct, vma, vm_mm) != s->walk.mm ||
		    end <= s->search.at) {
			s->search_left = 0; /* again with the next sample */
			return 0;
		}
		s->search_left--;
		if (search_is_marker(s, level, vma))
			return 1;
		s->search.at = end;
		vma = (__u64)KERNEL_READ(vm_area_struct, vma, vm_next);
	}
	if (!vma)
		s->search.status = SEARCH_ABSENT;
	return 0;
}

static __always_inline void search_take(struct scratch *s, __u32 level, __u64 address, __u64 next)
{
	if (s->search_kind == SEARCH_JITDUMP)
		jitdump_take(level, address, next);
	else
		process_context_take(level, address, next);
}

/* One function for both: old kernels check functions that are not called on them, too. */
__noinline int search_step(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	bool marker;

	if (!s)
		return 0;
	if (bpf_core_field_exists(struct mm_struct, mm_rb))
		marker = search_in_list(s, level);
	else
		marker = search_in_leaf(s, level);
	if (marker)
		search_take(s, level, s->found.start, s->found.end);
	return 0;
}

static __always_inline bool search_goes_on(const struct scratch *s)
{
	return s->search.status == SEARCH_GOES_ON && s->search_left >= SEARCH_STEP;
}

/* Of 2^20 ns, so that no sample has to divide. */
static __always_inline __u32 search_now_ms(const struct scratch *s)
{
	return (__u32)(s->sample.event.ktime >> 20);
}

/* Nothing was found: the next search is later, and the one behind it later still. */
static __always_inline void search_wait(struct scratch *s)
{
	__u32 wait = s->search.wait_ms ? 2 * s->search.wait_ms : SEARCH_WAIT_MS;

	s->search.wait_ms = wait < SEARCH_WAIT_MS_MAX ? wait : SEARCH_WAIT_MS_MAX;
	s->search.next_ms = search_now_ms(s) + s->search.wait_ms;
}

/* When the next one may begin, as long as this one's state is what it is. */
static __always_inline __u32 search_next_ms(const struct scratch *s,
					    const struct tm_mapping_search *search)
{
	return search->status == SEARCH_ABSENT ? search->next_ms
					       : search_now_ms(s) + SEARCH_WAIT_MS_MAX;
}

/* Whether a search goes on, or may begin anew. */
static __always_inline bool search_is_open(const struct scratch *s,
					   const struct tm_mapping_search *search)
{
	return search->status == SEARCH_GOES_ON ||
	       (search->status == SEARCH_ABSENT &&
		(__s32)(search_now_ms(s) - search->next_ms) >= 0);
}

/* Begins anew where nothing was found, unless the mappings have not changed since. */
static __always_inline void search_renew(struct scratch *s)
{
	const struct mapping_cache *cache = mapping_cache_of(s);

	if (s->search.status != SEARCH_ABSENT)
		return;
	if (cache->mm && cache->sequence == s->search.sequence) {
		search_wait(s);
		return;
	}
	s->search.status = SEARCH_GOES_ON;
	s->search.at = 0;
}

/* Goes on with the search of this kind, of which s->search is the state. @due: the process is
 * announced now. Return: whether it was found just now. */
static __always_inline bool search_run(struct scratch *s, __u32 level, __u32 kind, __u32 due)
{
	const bool was_found = s->search.status == SEARCH_FOUND;
	bool was_open;

	s->search_kind = kind;
	s->search_left = SEARCH_MAPPINGS;
	if (due || search_is_open(s, &s->search))
		search_renew(s);
	if (was_found && due)
		search_take(s, level, s->search.at, 0);
	if (!s->search.at)
		s->search.sequence = mapping_cache_of(s)->sequence;
	was_open = s->search.status == SEARCH_GOES_ON;
	for (int i = 0; i < SEARCH_STEPS && search_goes_on(s); i++)
		search_step(level);
	if (was_open && s->search.status == SEARCH_ABSENT)
		search_wait(s);
	return !was_found && s->search.status == SEARCH_FOUND;
}

static __always_inline struct tm_process_state *search_state(const struct scratch *s)
{
	struct tm_process_key key = {};

	key.tgid = s->sample.event.tgid;
	key.exec_id = s->sample.event.exec_id;
	key.start_boottime = s->sample.event.start_boottime;
	return bpf_map_lookup_elem(&processes, &key);
}

/*
 * Looks for the jitdump of the sample's process, which may not be announced yet.
 * Return: whether it was found just now. Its number is s->jitdump_file in either case.
 */
__noinline int search_jitdump(__u32 level, __u32 due)
{
	struct scratch *s = nesting_scratch(level);
	struct tm_process_state *state;
	bool found;

	if (!s)
		return 0;
	state = search_state(s);
	__builtin_memset(&s->search, 0, sizeof(s->search));
	if (state)
		s->search = state->jitdump;
	s->jitdump_file = TM_FILE_NONE;
	found = search_run(s, level, SEARCH_JITDUMP, due);
	s->jitdump = s->search;
	if (state)
		state->jitdump = s->search;
	return found && s->jitdump_file != TM_FILE_NONE;
}

/* Looks for the context of the sample's process, and announces it after the process: when it is
 * found, and in each epoch then, also if it is gone. */
__noinline int search_context(__u32 level, __u32 due)
{
	struct scratch *s = nesting_scratch(level);
	struct tm_process_state *state;
	bool found, was_found;

	state = s ? search_state(s) : NULL;
	if (!state)
		return 0;
	s->search = state->context;
	was_found = s->search.status == SEARCH_FOUND;
	found = search_run(s, level, SEARCH_CONTEXT, due);
	state->context = s->search;
	if (found || (due && was_found))
		process_context_write(level);
	return 0;
}
