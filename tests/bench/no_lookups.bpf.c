/* SPDX-License-Identifier: GPL-2.0 */
/*
 * no_lookups - the BPF programs without mapping lookups: each user address counts as anonymous code
 *
 * No VMA tree is walked and no file is identified, numbered or announced. Compared with the real
 * programs this shows what the mapping lookups cost; the rest of a sample is the same.
 */

#include <stdbool.h>

#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/vma.bpf.h"

static __always_inline int no_lookup(__u64 mm, __u64 address, struct vma *found)
{
	*found = (struct vma){.end = 1ull << 47, .flags = VM_READ | VM_WRITE | VM_EXEC};
	return mm && address < found->end ? VMA_FOUND : VMA_NONE;
}

#define vma_try(block, mm, address, found) no_lookup(mm, address, found)

#include "bpf/tidemark.bpf.c"
