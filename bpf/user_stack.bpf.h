/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * user_stack - reads words of the user stack, a piece within one page at a time
 */

#include "bpf/maps.h"

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

/* False if it cannot be read. */
static __always_inline bool user_stack_read(struct scratch *s, __u64 address, __u64 *value)
{
	struct user_stack *stack = &s->user_stack;
	__u64 at = address - stack->start;

	if (address & 7)
		return !bpf_probe_read_user(value, sizeof(*value), (const void *)address);
	if (at >= stack->bytes) {
		if (!user_stack_read_piece(stack, address))
			return false;
		at = 0;
	}
	at /= 8;
	kread_opaque(at);
	*value = stack->words[at & (USER_STACK_WORDS - 1)];
	return true;
}
