/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * user_stack - reads words of the stack that the walk is on, a piece within one page at a time
 */

#include "bpf/stack_bounds.bpf.h"

#define USER_STACK_PAGE 4096u

/* Reads a piece that begins at the address and ends in its page: the next page may be missing. */
static __always_inline bool user_stack_read_piece(struct user_stack *stack, __u64 address)
{
	__u64 bytes = USER_STACK_PAGE - (address & (USER_STACK_PAGE - 1));

	kread_opaque(bytes);
	if (bytes > stack->next)
		bytes = stack->next;
	kread_opaque(bytes);
	if (bytes > sizeof(stack->words))
		bytes = sizeof(stack->words);
	if (stack->next < sizeof(stack->words))
		stack->next *= 2;
	stack->start = address;
	stack->bytes = bytes;
	if (!bpf_probe_read_user(stack->words, (__u32)bytes, (const void *)address))
		return true;
	stack->bytes = 0;
	return false;
}

/* Reads a piece, or, into its first word, an unaligned word. False: it is not of the stack, or is
 * missing. */
__noinline int user_stack_fetch(__u32 level, __u64 address)
{
	struct scratch *s = nesting_scratch(level);

	if (!s || !stack_reaches(s, level, address))
		return 0;
	if (!(address & 7))
		return user_stack_read_piece(&s->user_stack, address);
	s->user_stack.bytes = 0;
	return stack_reaches(s, level, address + 7) &&
	       !bpf_probe_read_user(s->user_stack.words, 8, (const void *)address);
}

/* False if it cannot be read. */
static __always_inline bool user_stack_read(struct scratch *s, __u32 level, __u64 address,
					    __u64 *value)
{
	struct user_stack *stack = &s->user_stack;
	__u64 at = address - stack->start;

	if (at >= stack->bytes || address & 7) {
		if (!user_stack_fetch(level, address))
			return false;
		at = 0;
	}
	at /= 8;
	kread_opaque(at);
	*value = stack->words[at & (USER_STACK_WORDS - 1)];
	return true;
}
