/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * mapping - which mapping of an mm covers an address, found without taking its lock
 *
 * Trust      the trees change while they are read. Every read may fault or be stale; nothing is
 *            believed before the VMA itself has been read twice and agrees with the question.
 * Trees      a maple tree from 6.1, its nodes safe under RCU; a red-black tree before, which is
 *            not, so there a miss while somebody writes means "busy".
 * Maple      an entry is a node's address (256-aligned) with its type in bits 3 to 6 (the root's also
 *            with bit 1). Word 0 of a
 *            node is its parent, and the node itself once it is dead. Then the pivots, the last
 *            address of each slot, then the slots: 15 and 16 of them, or 9 and 10.
 * Verifier   pivots are counted without a branch; a branch each would multiply its states.
 */

#include <bpf/bpf_core_read.h>

#include "bpf/kernel.h"

#define MAPPING_TRIES 4
#define MAPLE_DEPTH 8	/* 10^8 mappings */
#define RB_DEPTH 40	/* twice the logarithm of more mappings than fit in memory */
#define MAPLE_WORDS 16	/* parent and 15 pivots */

enum maple_kind { MAPLE_LEAF = 1, MAPLE_RANGE = 2, MAPLE_ARANGE = 3 };

enum mapping_status { MAPPING_FOUND, MAPPING_NONE, MAPPING_BUSY, MAPPING_DEEP };

struct mapping {
	__u64 start;
	__u64 end;
	__u64 pgoff;
	__u64 file; /* struct file, or 0 */
	__u64 flags;
};

/* Keeps the compiler from seeing what a value is, so that it must use it as it stands. */
#define mapping_opaque(value) asm volatile("" : "+r"(value))

/* KERNEL_READ(type, address, field, its field, ...): follows pointers, one read each. */
#define KERNEL_READ(type, address, ...)                                                            \
	({                                                                                         \
		__u64 base_ = (address); /* or its own accesses would be relocated too */          \
		BPF_CORE_READ((const struct type *)base_, __VA_ARGS__);                            \
	})

static __always_inline __u64 mapping_word(__u64 address)
{
	__u64 word = 0;

	if (bpf_probe_read_kernel(&word, sizeof(word), (const void *)address))
		return 0;
	return word;
}

/* 1 if the pivot is used (not 0) and below the address, which is positive as a signed number. */
static __always_inline __u64 maple_below(__u64 pivot, __u64 address)
{
	__u64 p = pivot - 1, below;

	below = ((p - (address - 1)) & ~p) >> 63;
	mapping_opaque(below);
	return below;
}

/*
 * One node. Its entry is replaced by the one under it that covers the address, or by the VMA.
 * With `low` and `high`, these shrink to the range for which the tree gives that answer.
 */
static __always_inline int maple_step(__u64 *entry, __u64 address, __u64 *low, __u64 *high)
{
	__u64 node = *entry & ~0xffull, words[MAPLE_WORDS], slot = 0, pivot, wide;
	__u32 type = (*entry >> 3) & 0xf;

	if (type < MAPLE_LEAF || type > MAPLE_ARANGE)
		return MAPPING_BUSY;
	if (bpf_probe_read_kernel(words, sizeof(words), (const void *)node))
		return MAPPING_BUSY;
	if ((words[0] & ~0xffull) == node)
		return MAPPING_BUSY;
	wide = type != MAPLE_ARANGE;
	mapping_opaque(wide);
#pragma unroll
	for (int i = 1; i < MAPLE_WORDS; i++)
		slot += maple_below(words[i], address) & (i < 10 ? 1 : wide);
	if (low) {
		pivot = mapping_word(node + 8 * slot);
		if (slot && pivot + 1 > *low)
			*low = pivot + 1;
		pivot = mapping_word(node + 8 * (slot + 1));
		if (slot < 9 + 6 * wide && pivot && pivot < *high)
			*high = pivot;
	}
	if (bpf_probe_read_kernel(entry, sizeof(*entry),
				  (const void *)(node + 8 * (10 + 6 * wide + slot))))
		return MAPPING_BUSY;
	return type == MAPLE_LEAF ? MAPPING_FOUND : MAPPING_DEEP;
}

static __always_inline int maple_find(__u64 mm, __u64 address, __u64 *vma, __u64 *low, __u64 *high)
{
	__u64 entry = (__u64)KERNEL_READ(mm_struct, mm, mm_mt.ma_root);
	int status = MAPPING_DEEP;

	if ((entry & 3) != 2) /* no node, so not more than one mapping: none of a process */
		return MAPPING_NONE;
	for (int i = 0; i < MAPLE_DEPTH; i++) {
		status = maple_step(&entry, address, low, high);
		if (status != MAPPING_DEEP)
			break;
	}
	if (status != MAPPING_FOUND)
		return status;
	if (!entry || (entry & 3))
		return MAPPING_NONE;
	*vma = entry;
	return MAPPING_FOUND;
}

static __always_inline int rb_find(__u64 mm, __u64 address, __u64 *vma)
{
	__u64 node = (__u64)KERNEL_READ(mm_struct, mm, mm_rb.rb_node), at;

	for (int i = 0; i < RB_DEPTH; i++) {
		if (!node)
			return MAPPING_NONE;
		at = node - bpf_core_field_offset(struct vm_area_struct, vm_rb);
		if (address < KERNEL_READ(vm_area_struct, at, vm_start)) {
			node = (__u64)KERNEL_READ(rb_node, node, rb_left);
		} else if (address >= KERNEL_READ(vm_area_struct, at, vm_end)) {
			node = (__u64)KERNEL_READ(rb_node, node, rb_right);
		} else {
			*vma = at;
			return MAPPING_FOUND;
		}
	}
	return MAPPING_DEEP;
}

static __always_inline void mapping_read(struct mapping *mapping, __u64 vma)
{
	mapping->start = KERNEL_READ(vm_area_struct, vma, vm_start);
	mapping->end = KERNEL_READ(vm_area_struct, vma, vm_end);
	mapping->pgoff = KERNEL_READ(vm_area_struct, vma, vm_pgoff);
	mapping->file = (__u64)KERNEL_READ(vm_area_struct, vma, vm_file);
	mapping->flags = KERNEL_READ(vm_area_struct, vma, vm_flags);
}

/* Does somebody hold this VMA for writing? Known from 6.4, with per-VMA locks. */
static __always_inline bool mapping_locked(__u64 vma, __u64 mm)
{
	int sequence;

	if (!bpf_core_field_exists(struct vm_area_struct, vm_lock_seq))
		return false;
	if (bpf_core_field_exists(struct mm_struct___seq, mm_lock_seq.sequence))
		sequence = (int)KERNEL_READ(mm_struct___seq, mm, mm_lock_seq.sequence);
	else
		sequence = KERNEL_READ(mm_struct, mm, mm_lock_seq);
	return KERNEL_READ(vm_area_struct, vma, vm_lock_seq) == sequence;
}

/* Does somebody hold the whole mm for writing? */
static __always_inline bool mapping_written(__u64 mm)
{
	return KERNEL_READ(mm_struct, mm, mmap_lock.count.counter) & 1;
}

/* The VMA as it stands, believed only if a second reading agrees and it covers the address. */
static __always_inline int mapping_check(__u64 vma, __u64 mm, __u64 address, struct mapping *out)
{
	struct mapping again;

	mapping_read(out, vma);
	if ((__u64)KERNEL_READ(vm_area_struct, vma, vm_mm) != mm)
		return MAPPING_BUSY;
	mapping_read(&again, vma);
	if (out->start != again.start || out->end != again.end || out->pgoff != again.pgoff ||
	    out->file != again.file)
		return MAPPING_BUSY;
	if (address < out->start || address >= out->end)
		return MAPPING_BUSY;
	return MAPPING_FOUND;
}

/*
 * One try. `patient` is a later try: a VMA that is locked for writing, as all of them are for as
 * long as their process forks, is then believed where its range is also what the tree says. A
 * writer changes the VMA first and the tree afterwards, so a half-changed one differs.
 */
static __always_inline int mapping_try(__u64 mm, __u64 address, bool patient, struct mapping *out)
{
	__u64 vma = 0, low = 0, high = ~0ull;
	int status;

	if (!address || address >> 63)
		return MAPPING_NONE;
	if (bpf_core_field_exists(struct mm_struct, mm_rb)) {
		status = rb_find(mm, address, &vma);
		if (status != MAPPING_FOUND && mapping_written(mm))
			return MAPPING_BUSY;
	} else {
		status = patient ? maple_find(mm, address, &vma, &low, &high)
				 : maple_find(mm, address, &vma, NULL, NULL);
	}
	if (status != MAPPING_FOUND)
		return status;
	status = mapping_check(vma, mm, address, out);
	if (status == MAPPING_FOUND && mapping_locked(vma, mm) &&
	    !(patient && low == out->start && high == out->end - 1))
		return MAPPING_BUSY;
	return status;
}
