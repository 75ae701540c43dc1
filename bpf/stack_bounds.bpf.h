/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * stack_bounds - the stack that the walk is on: the only memory in which unwind rules may read
 *
 * Extent     the mappings that touch each other around an address, since madvise, mlock and mbind
 *            split a stack. Each must be readable and writable, and no device's memory. It may be
 *            executable only in a process whose initial stack is, as then all its stacks are. Below
 *            the initial stack, which grows when it is touched, lies nothing: an address there is
 *            one of that stack.
 * Entry      the walk begins on the stack of the leaf's sp. It enters another one only as the
 *            caller of stack_enter() can prove that there is one, STACKS_ENTERED_MAX times.
 * Memory     what was looked up is kept with the process's mappings (mapping_cache.bpf.h).
 * Limits     STACK_LOOKUPS_MAX lookups a walk. Beyond each limit, nothing can be read.
 */

#include "bpf/lookup.bpf.h"

#define STACKS_ENTERED_MAX 8
#define STACK_LOOKUPS_MAX  24
#define STACK_SPLITS_MAX   8 /* mappings by which a stack is extended at once */

#define STACK_FLAGS        (VM_READ | VM_WRITE)

static __always_inline bool stack_has(const struct scratch *s, __u64 address)
{
	return address >= s->walk.stack.start && address < s->walk.stack.end;
}

static __always_inline __u64 stack_initial(const struct scratch *s)
{
	return (__u64)KERNEL_READ(mm_struct, s->walk.mm, start_stack);
}

/* Whether s->found may be a stack. */
static __always_inline bool stack_may_be(struct scratch *s, __u32 level)
{
	__u64 flags = s->found.flags;

	if ((flags & (STACK_FLAGS | VM_IO | VM_PFNMAP)) != STACK_FLAGS)
		return false;
	return !(flags & VM_EXEC) ||
	       (lookup_again(level, stack_initial(s)) == VMA_FOUND && s->again.flags & VM_EXEC);
}

/* Return: enum vma_status; VMA_FOUND: s->found may be a stack. VMA_BUSY also if it may not. */
static __always_inline int stack_look_up(struct scratch *s, __u32 level, __u64 address)
{
	int status;

	if (s->walk.stack_lookups >= STACK_LOOKUPS_MAX)
		return VMA_BUSY;
	s->walk.stack_lookups++;
	s->walk.looked_up = true;
	status = lookup_mapping(s, level, address);
	return status == VMA_FOUND && !stack_may_be(s, level) ? VMA_BUSY : status;
}

static __always_inline bool stack_is_cached(struct scratch *s)
{
	const struct mapping_cache *cache = mapping_cache_of(s);

	for (__u32 i = 0; i < MAPPING_CACHE_STACKS; i++) {
		const struct stack_range *stack = &cache->stacks[i];

		if (s->walk.stack_at < stack->start || s->walk.stack_at >= stack->end)
			continue;
		s->walk.stack = *stack;
		s->walk.stack_slot = (__u8)i;
		return true;
	}
	return false;
}

static __always_inline void stack_keep(struct scratch *s)
{
	mapping_cache_of(s)->stacks[s->walk.stack_slot & (MAPPING_CACHE_STACKS - 1)] =
		s->walk.stack;
}

/* Finds the mapping of s->walk.stack_at. */
static __always_inline bool stack_find(struct scratch *s, __u32 level)
{
	int status;

	if (stack_is_cached(s))
		return true;
	status = stack_look_up(s, level, s->walk.stack_at);
	if (status == VMA_NONE) {
		status = stack_look_up(s, level, stack_initial(s));
		if (status == VMA_FOUND &&
		    (!(s->found.flags & VM_GROWSDOWN) || s->walk.stack_at >= s->found.start))
			status = VMA_NONE;
	}
	if (status != VMA_FOUND)
		return false;
	s->walk.stack.start = s->found.start;
	s->walk.stack.end = s->found.end;
	s->walk.stack_slot = (__u8)mapping_cache_of(s)->stacks_used++;
	stack_keep(s);
	return true;
}

/* Extends the stack by the mapping that touches it, toward the address. */
static __always_inline bool stack_extend(struct scratch *s, __u32 level, __u64 address)
{
	struct stack_range *stack = &s->walk.stack;
	bool above = address >= stack->end;

	if (stack_look_up(s, level, above ? stack->end : stack->start - 1) != VMA_FOUND)
		return false;
	if (above)
		stack->end = s->found.end;
	else
		stack->start = s->found.start;
	stack_keep(s);
	return true;
}

/* Whether the address is one of the stack that the walk is on. */
static __always_inline bool stack_reaches(struct scratch *s, __u32 level, __u64 address)
{
	if (stack_has(s, address))
		return true;
	if (!s->walk.stack.end && !stack_find(s, level))
		return false;
	for (int i = 0; i < STACK_SPLITS_MAX && !stack_has(s, address); i++)
		if (!stack_extend(s, level, address))
			return false;
	return stack_has(s, address);
}

/* The walk begins on the stack with this address. */
static __always_inline void stack_begin(struct scratch *s, __u64 address)
{
	s->walk.stack_at = address;
	s->walk.stack.start = 0;
	s->walk.stack.end = 0;
}

/* The walk goes on on the stack with this address. False: it may not. */
static __always_inline bool stack_enter(struct scratch *s, __u64 address)
{
	if (stack_has(s, address))
		return true;
	if (s->walk.stacks_entered >= STACKS_ENTERED_MAX)
		return false;
	s->walk.stacks_entered++;
	stack_begin(s, address);
	return true;
}
