/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * lookup - looks up mappings of the sampled process, again while they change
 */

#include "bpf/nesting.bpf.h"

/* Looks the mapping up once, into s->found. The verifier checks it by itself. */
__noinline int lookup_try(__u32 level, __u64 address)
{
	struct scratch *s = nesting_scratch(level);

	return s ? vma_try(&s->block, s->walk.mm, address, &s->found) : VMA_BUSY;
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
