/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * user_stack - words of the user stack, read a piece at a time
 */

#include "bpf/maps.h"

#define USER_STACK_PAGE 4096u

/* A new piece that begins at the address and ends with its page: the next one may not be there. */
static __always_inline bool user_stack_move(struct user_stack *window, __u64 address)
{
	__u64 bytes = USER_STACK_PAGE - (address & (USER_STACK_PAGE - 1));

	kread_opaque(bytes);
	if (bytes > window->next)
		bytes = window->next;
	kread_opaque(bytes);
	if (bytes > sizeof(window->words))
		bytes = sizeof(window->words);
	if (window->next < sizeof(window->words))
		window->next *= 2;
	window->start = address;
	window->bytes = bytes;
	if (!bpf_probe_read_user(window->words, (__u32)bytes, (const void *)address))
		return true;
	window->bytes = 0;
	return false;
}

/* False if it cannot be read. */
static __always_inline bool user_stack_read(struct scratch *s, __u64 address, __u64 *value)
{
	struct user_stack *window = &s->window;
	__u64 at = address - window->start;

	if (address & 7)
		return !bpf_probe_read_user(value, sizeof(*value), (const void *)address);
	if (at >= window->bytes) {
		if (!user_stack_move(window, address))
			return false;
		at = 0;
	}
	at /= 8;
	kread_opaque(at);
	*value = window->words[at & (USER_STACK_WORDS - 1)];
	return true;
}
