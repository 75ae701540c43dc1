/* SPDX-License-Identifier: GPL-2.0 */
/*
 * without - the programs as they are, but each user address is taken for anonymous code
 *
 * No tree is walked, no file identified, numbered or announced: beside the real ones this shows
 * what the mapping lookups cost. Everything else of a sample is done.
 */

#include <stdbool.h>

#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/vma.bpf.h"

static __always_inline int without_lookup(__u64 mm, __u64 address, struct vma *found)
{
	*found = (struct vma){.end = 1ull << 47, .flags = VM_EXEC};
	return mm && address < found->end ? VMA_FOUND : VMA_NONE;
}

#define vma_try(block, mm, address, found) without_lookup(mm, address, found)

#include "bpf/tidemark.bpf.c"
