/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * vma - which mapping of an mm covers an address, found without taking its lock
 *
 * Trust      the trees change while they are read. Every read may fault or be stale, so a VMA is
 *            believed only after it was read twice with the same result and covers the address.
 * Trees      a maple tree from 6.1, its nodes safe under RCU; a red-black tree before, which is
 *            not: there a miss during or after a concurrent change is VMA_BUSY.
 * Maple      an entry is a node's address (256-aligned) with its type in bits 3 to 6, the root's
 *            also with bit 1. Word 0 of a node is its parent, and the node itself once it is dead.
 *            Then the pivots, the last address of each slot, then the slots: 15 and 16 of them, or
 *            9 and 10.
 * Writers    a VMA that is locked for writing, as all are while their process forks, is believed if
 *            its range is also that of the tree: a writer changes the VMA first and the tree
 *            afterwards, so the two differ while it changes the range.
 * Verifier   pivots are counted without branches, which would multiply the verifier's states.
 */

#include "bpf/kread.bpf.h"

#define VMA_TRIES    4
#define MAPLE_DEPTH  8  /* 10^8 mappings */
#define RB_DEPTH     40 /* twice the logarithm of 10^6 mappings */
#define MAPLE_PIVOTS 15

enum maple_kind {
	MAPLE_LEAF = 1,
	MAPLE_RANGE = 2,
	MAPLE_ARANGE = 3
};

enum vma_status {
	VMA_FOUND,
	VMA_NONE,
	VMA_BUSY,
	VMA_DEEP
};

struct vma {
	__u64 start;
	__u64 end;
	__u64 pgoff;
	__u64 file; /* struct file, or 0 */
	__u64 flags;
};

static __always_inline bool vma_same(const struct vma *a, const struct vma *b)
{
	return a->start == b->start && a->end == b->end && a->pgoff == b->pgoff &&
	       a->file == b->file && a->flags == b->flags;
}

/* A VMA, and the first and last address that the tree has for it. */
struct vma_hit {
	__u64 vma;
	__u64 first;
	__u64 last;
	__u64 node_last; /* of a maple tree: of the node that has the VMA or the gap; 0: no node */
};

/* 1 if the pivot is used (not 0) and below the address. The address is below 2^63. */
static __always_inline __u64 maple_below(__u64 pivot, __u64 address)
{
	__u64 p = pivot - 1, below;

	below = ((p - (address - 1)) & ~p) >> 63;
	kread_opaque(below);
	return below;
}

/* One node: replaces *entry by its entry for the address, and narrows the hit's range. */
static __always_inline int maple_step(struct kread *block, __u64 *entry, __u64 address,
				      struct vma_hit *hit)
{
	__u64 node = *entry & ~0xffull, slot = 0, pivot, wide;
	__u32 type = (*entry >> 3) & 0xf;

	if (type < MAPLE_LEAF || type > MAPLE_ARANGE || !kread_read(block, node, KREAD_BYTES))
		return VMA_BUSY;
	/* Checked after the copy: freeing a node overwrites its first pivots with an RCU head. */
	if ((kread_word(node) & ~0xffull) == node)
		return VMA_BUSY;
	wide = type != MAPLE_ARANGE;
	kread_opaque(wide);
#pragma unroll
	for (int i = 1; i <= MAPLE_PIVOTS; i++)
		slot += maple_below(block->words[i], address) & (i < 10 ? 1 : wide);
	kread_opaque(slot);
	slot &= 15;
	pivot = block->words[slot];
	if (slot && pivot + 1 > hit->first)
		hit->first = pivot + 1;
	pivot = block->words[slot + 1];
	if (slot < 9 + 6 * wide && pivot && pivot < hit->last)
		hit->last = pivot;
	slot += 10 + 6 * wide;
	*entry = block->words[slot & (KREAD_WORDS - 1)];
	return type == MAPLE_LEAF ? VMA_FOUND : VMA_DEEP;
}

static __always_inline int maple_find(struct kread *block, __u64 mm, __u64 address,
				      struct vma_hit *hit)
{
	__u64 entry = (__u64)KERNEL_READ(mm_struct, mm, mm_mt.ma_root);
	int status = VMA_DEEP;

	hit->first = 0;
	hit->last = ~0ull;
	if ((entry & 3) != 2) /* no node: at most one mapping, which no process has */
		return VMA_NONE;
	for (int i = 0; i < MAPLE_DEPTH && status == VMA_DEEP; i++) {
		hit->node_last = hit->last;
		status = maple_step(block, &entry, address, hit);
	}
	if (status != VMA_FOUND)
		return status;
	if (!entry || (entry & 3))
		return VMA_NONE;
	hit->vma = entry;
	return VMA_FOUND;
}

static __always_inline int rb_walk(struct kread *block, __u64 mm, __u64 address,
				   struct vma_hit *hit)
{
	__u64 node = (__u64)KERNEL_READ(mm_struct, mm, mm_rb.rb_node), at;
	const __u64 bytes = KREAD_TO(vm_area_struct, vm_rb.rb_left);

	for (int i = 0; i < RB_DEPTH; i++) {
		if (!node)
			return VMA_NONE;
		at = node - bpf_core_field_offset(struct vm_area_struct, vm_rb);
		if (!kread_read(block, at, bytes))
			return VMA_BUSY;
		if (address < KREAD_FIELD(block, bytes, vm_area_struct, at, vm_start)) {
			node = (__u64)KREAD_FIELD(block, bytes, vm_area_struct, at, vm_rb.rb_left);
		} else if (address >= KREAD_FIELD(block, bytes, vm_area_struct, at, vm_end)) {
			node = (__u64)KREAD_FIELD(block, bytes, vm_area_struct, at, vm_rb.rb_right);
		} else {
			hit->vma = at;
			return VMA_FOUND;
		}
	}
	return VMA_DEEP;
}

/* Changes whenever a mapping is added or removed. */
static __always_inline __u64 rb_version(__u64 mm)
{
	__u64 version = (__u64)(__u32)KERNEL_READ(mm_struct, mm, map_count);

	if (bpf_core_field_exists(struct mm_struct, vmacache_seqnum))
		version += KERNEL_READ(mm_struct, mm, vmacache_seqnum) << 32;
	return version;
}

static __always_inline int rb_find(struct kread *block, __u64 mm, __u64 address,
				   struct vma_hit *hit)
{
	__u64 version = rb_version(mm);
	int status = rb_walk(block, mm, address, hit);

	if (status != VMA_NONE && status != VMA_DEEP)
		return status;
	if (KERNEL_READ(mm_struct, mm, mmap_lock.count.counter) & 1 || rb_version(mm) != version)
		return VMA_BUSY;
	return status;
}

/* mm->mm_lock_seq; a VMA whose vm_lock_seq is equal is locked for writing (from 6.4). */
static __always_inline int vma_lock_sequence(__u64 mm)
{
	if (bpf_core_field_exists(struct mm_struct___seq, mm_lock_seq.sequence))
		return (int)KERNEL_READ(mm_struct___seq, mm, mm_lock_seq.sequence);
	return KERNEL_READ(mm_struct, mm, mm_lock_seq);
}

#define VMA_FIELD(field) KREAD_FIELD(block, bytes, vm_area_struct, vma, field)

/* Reads the VMA twice. VMA_FOUND: both readings agree, and it covers the address. */
static __always_inline int vma_check(struct kread *block, __u64 mm, __u64 address,
				     const struct vma_hit *hit, struct vma *out)
{
	const __u64 vma = hit->vma, bytes = KREAD_TO(vm_area_struct, vm_file);

	if (!kread_read(block, vma, bytes))
		return VMA_BUSY;
	out->start = VMA_FIELD(vm_start);
	out->end = VMA_FIELD(vm_end);
	out->pgoff = VMA_FIELD(vm_pgoff);
	out->file = (__u64)VMA_FIELD(vm_file);
	if (!kread_read(block, vma, bytes))
		return VMA_BUSY;
	out->flags = VMA_FIELD(vm_flags);
	if ((__u64)VMA_FIELD(vm_mm) != mm || out->start != VMA_FIELD(vm_start) ||
	    out->end != VMA_FIELD(vm_end) || out->pgoff != VMA_FIELD(vm_pgoff) ||
	    out->file != (__u64)VMA_FIELD(vm_file))
		return VMA_BUSY;
	if (address < out->start || address >= out->end)
		return VMA_BUSY;
	if (bpf_core_field_exists(struct vm_area_struct, vm_lock_seq) &&
	    (hit->first != out->start || hit->last != out->end - 1) &&
	    VMA_FIELD(vm_lock_seq) == vma_lock_sequence(mm))
		return VMA_BUSY;
	return VMA_FOUND;
}

/* Looks the address up once. @block: memory for copies of kernel structures. */
static __always_inline int vma_try(struct kread *block, __u64 mm, __u64 address, struct vma *out)
{
	struct vma_hit hit = {};
	int status;

	if (!address || address >> 63)
		return VMA_NONE;
	if (bpf_core_field_exists(struct mm_struct, mm_rb))
		status = rb_find(block, mm, address, &hit);
	else
		status = maple_find(block, mm, address, &hit);
	if (status != VMA_FOUND)
		return status;
	return vma_check(block, mm, address, &hit, out);
}
