/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * jitdump - looks for the mapping by which a process shows where its jitdump is
 *
 * Marker     a runtime that writes a jitdump maps a page of it executable. The file is named
 *            jit-PID.dump, with the PID of whatever namespace the runtime is in.
 * Bounds     at most JITDUMP_MAPPINGS mappings are looked at for a sample of a process that has
 *            code of no file; the next such sample goes on where this one ended.
 * Memory     the state is kept with the generation. What was found is looked at again whenever the
 *            generation is announced; where nothing was found, it is searched again then if its
 *            mappings may have changed.
 * Trust      the tree and the list change while they are read, so that a mapping may be missed
 *            until the next search. One that seems to be the marker is looked up as any other.
 */

#include "bpf/announce_file.bpf.h"
#include "bpf/lookup.bpf.h"
#include "bpf/mapping_cache.bpf.h"

#define JITDUMP_MAPPINGS 64u /* a sample */
#define JITDUMP_STEPS    16  /* a sample; a step looks at one node, or at so many mappings: */
#define JITDUMP_STEP     16u
#define JITDUMP_DIGITS   10 /* of a PID; more than any has */
#define JITDUMP_NAME     24 /* bytes that are read of a name */

#define MAPLE_LEAF_SLOTS 16u /* the first is word 16 of the node */

enum jitdump_status {
	JITDUMP_SEARCHING,
	JITDUMP_ABSENT,
	JITDUMP_FOUND
};

/* Whether a file's name is jit-DIGITS.dump. */
static __always_inline bool jitdump_is_name(const char *name)
{
	int at = 4;

	if (name[0] != 'j' || name[1] != 'i' || name[2] != 't' || name[3] != '-')
		return false;
	while (at < 4 + JITDUMP_DIGITS && name[at] >= '0' && name[at] <= '9')
		at++;
	return at > 4 && name[at] == '.' && name[at + 1] == 'd' && name[at + 2] == 'u' &&
	       name[at + 3] == 'm' && name[at + 4] == 'p' && !name[at + 5];
}

/* Whether the file is named as a jitdump. */
__noinline int jitdump_is_file(__u32 level, __u64 file)
{
	struct scratch *s = nesting_scratch(level);
	char *name;

	if (!s || !file)
		return 0;
	name = s->announce.bytes; /* nothing is being announced now */
	if (bpf_probe_read_kernel_str(
		    name, JITDUMP_NAME,
		    (const void *)KERNEL_READ(path, path_of_file(file), dentry, d_name.name)) < 0)
		return 0;
	return jitdump_is_name(name);
}

/* Whether a VMA above the position seems to be the marker. Its range is then in s->found. */
static __always_inline bool jitdump_is_marker(struct scratch *s, __u32 level, __u64 vma)
{
	if (!(KERNEL_READ(vm_area_struct, vma, vm_flags) & VM_EXEC))
		return false;
	if (!jitdump_is_file(level, (__u64)KERNEL_READ(vm_area_struct, vma, vm_file)))
		return false;
	s->found.start = KERNEL_READ(vm_area_struct, vma, vm_start);
	s->found.end = KERNEL_READ(vm_area_struct, vma, vm_end);
	return s->found.end > s->jitdump.at;
}

/*
 * Looks at the VMAs of the maple tree's leaf that covers the position, and moves that behind it.
 * Slots behind the leaf's last one may hold anything: what is no VMA is not taken for the marker.
 * Return: whether one seems to be the marker.
 */
static __always_inline bool jitdump_in_leaf(struct scratch *s, __u32 level)
{
	struct vma_hit hit = {};
	__u64 vma;
	int status;

	status = maple_find(&s->block, s->walk.mm, s->jitdump.at, &hit);
	if (status == VMA_BUSY) {
		s->jitdump_left = 0; /* again with the next sample */
		return 0;
	}
	if (status == VMA_DEEP || !hit.node_last) {
		s->jitdump.status = JITDUMP_ABSENT;
		return 0;
	}
	for (__u32 i = 0; i < MAPLE_LEAF_SLOTS; i++) {
		vma = s->block.words[MAPLE_LEAF_SLOTS + i];
		if (!vma || vma & 3)
			continue;
		s->jitdump_left--;
		if (jitdump_is_marker(s, level, vma))
			return 1;
	}
	s->jitdump.at = hit.node_last + 1;
	if (hit.node_last >> 63)
		s->jitdump.status = JITDUMP_ABSENT;
	return 0;
}

/* The first VMA that ends above the position, in a red-black tree. 0: none. */
static __always_inline __u64 jitdump_first_in_tree(struct scratch *s)
{
	__u64 node = (__u64)KERNEL_READ(mm_struct, s->walk.mm, mm_rb.rb_node), vma, first = 0;

	for (int i = 0; i < RB_DEPTH && node; i++) {
		vma = node - bpf_core_field_offset(struct vm_area_struct, vm_rb);
		if (KERNEL_READ(vm_area_struct, vma, vm_end) > s->jitdump.at) {
			first = vma;
			node = (__u64)KERNEL_READ(vm_area_struct, vma, vm_rb.rb_left);
		} else {
			node = (__u64)KERNEL_READ(vm_area_struct, vma, vm_rb.rb_right);
		}
	}
	return first;
}

/* The same where the VMAs are in a red-black tree and in a list. */
static __always_inline bool jitdump_in_list(struct scratch *s, __u32 level)
{
	__u64 vma = jitdump_first_in_tree(s), end;

	for (__u32 i = 0; i < JITDUMP_STEP && vma; i++) {
		end = KERNEL_READ(vm_area_struct, vma, vm_end);
		if ((__u64)KERNEL_READ(vm_area_struct, vma, vm_mm) != s->walk.mm ||
		    end <= s->jitdump.at) {
			s->jitdump_left = 0; /* again with the next sample */
			return 0;
		}
		s->jitdump_left--;
		if (jitdump_is_marker(s, level, vma))
			return 1;
		s->jitdump.at = end;
		vma = (__u64)KERNEL_READ(vm_area_struct, vma, vm_next);
	}
	if (!vma)
		s->jitdump.status = JITDUMP_ABSENT;
	return 0;
}

/*
 * Takes the mapping at an address for the marker if it is one, and announces its file. Otherwise
 * the search goes on at @next.
 */
__noinline int jitdump_take(__u32 level, __u64 address, __u64 next)
{
	struct scratch *s = nesting_scratch(level);
	struct tm_file_state *state = NULL;

	if (!s)
		return 0;
	s->jitdump.at = next;
	s->jitdump.status = JITDUMP_SEARCHING;
	if (lookup_mapping(s, level, address) != VMA_FOUND || !(s->found.flags & VM_EXEC) ||
	    !jitdump_is_file(level, s->found.file))
		return 0;
	s->jitdump.at = s->found.start;
	s->jitdump.status = JITDUMP_FOUND;
	file_identify_growing(&s->block, s->found.file, &s->fresh.identity);
	s->jitdump_file = file_number(&s->fresh, true, &state);
	if (state)
		announce_mapped(s, level, s->jitdump_file, state);
	else
		s->counts.files_full++;
	return 0;
}

/* One function for both: old kernels check functions that are not called on them, too. */
__noinline int jitdump_step(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	bool marker;

	if (!s)
		return 0;
	if (bpf_core_field_exists(struct mm_struct, mm_rb))
		marker = jitdump_in_list(s, level);
	else
		marker = jitdump_in_leaf(s, level);
	if (marker)
		jitdump_take(level, s->found.start, s->found.end);
	return 0;
}

static __always_inline bool jitdump_goes_on(const struct scratch *s)
{
	return s->jitdump.status == JITDUMP_SEARCHING && s->jitdump_left >= JITDUMP_STEP;
}

/* Begins anew where nothing was found, unless the mappings have not changed since. */
static __always_inline void jitdump_renew(struct scratch *s)
{
	const struct mapping_cache *cache = mapping_cache_of(s);

	if (s->jitdump.status != JITDUMP_ABSENT ||
	    (cache->mm && cache->sequence == s->jitdump.sequence))
		return;
	s->jitdump.status = JITDUMP_SEARCHING;
	s->jitdump.at = 0;
}

/*
 * Goes on with the search of the sample's process. @due: the process is announced now.
 * Return: whether its jitdump was found just now. Its number is s->jitdump_file in either case.
 */
__noinline int jitdump_look(__u32 level, __u32 due)
{
	struct scratch *s = nesting_scratch(level);
	struct tm_process_state *state;
	struct tm_process_key key = {};
	int was;

	if (!s)
		return 0;
	key.tgid = s->sample.event.tgid;
	key.exec_id = s->sample.event.exec_id;
	key.start_boottime = s->sample.event.start_boottime;
	state = bpf_map_lookup_elem(&processes, &key);
	__builtin_memset(&s->jitdump, 0, sizeof(s->jitdump));
	if (state)
		s->jitdump = state->jitdump;
	was = (int)s->jitdump.status;
	s->jitdump_file = TM_FILE_NONE;
	s->jitdump_left = JITDUMP_MAPPINGS;
	if (due)
		jitdump_renew(s);
	if (was == JITDUMP_FOUND)
		jitdump_take(level, s->jitdump.at, 0);
	if (!s->jitdump.at)
		s->jitdump.sequence = mapping_cache_of(s)->sequence;
	for (int i = 0; i < JITDUMP_STEPS && jitdump_goes_on(s); i++)
		jitdump_step(level);
	if (state)
		state->jitdump = s->jitdump;
	return was != JITDUMP_FOUND && s->jitdump_file != TM_FILE_NONE;
}
