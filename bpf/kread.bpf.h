/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * kread - reads fields of kernel structures: one by one, or from a copy of the structure's head
 *
 * A helper call costs more than the bytes it copies. The copy lies in the caller's scratch memory,
 * not on the stack, which has 512 bytes for a whole chain of functions.
 */

#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/kernel_types.h"

#define KREAD_WORDS 32u
#define KREAD_BYTES (8 * KREAD_WORDS)

struct kread {
	__u64 words[KREAD_WORDS];
};

/* Hides the value from the optimizer, so that it is used as it is. */
#define kread_opaque(value) asm volatile("" : "+r"(value))

/* KERNEL_READ(type, address, field, field, ...): follows pointers, with one read each. */
#define KERNEL_READ(type, address, ...)                                                           \
	({                                                                                        \
		__u64 base_ = (address); /* or accesses in the argument would be relocated too */ \
		BPF_CORE_READ((const struct type *)base_, __VA_ARGS__);                           \
	})

/* Bytes from the start of the structure to the end of a field, on the running kernel. */
#define KREAD_TO(type, field) \
	(bpf_core_field_offset(struct type, field) + sizeof(((struct type *)0)->field))

/* False if it could not be read. */
static __always_inline bool kread_read(struct kread *block, __u64 address, __u64 bytes)
{
	if (bytes > KREAD_BYTES)
		bytes = KREAD_BYTES;
	return !bpf_probe_read_kernel(block->words, (__u32)bytes, (const void *)address);
}

/* A field of the structure at `address`: from the copy of its first `bytes`, or by a read. */
#define KREAD_FIELD(block, bytes, type, address, field)                                     \
	({                                                                                  \
		__u64 at_ = bpf_core_field_offset(struct type, field);                      \
		__typeof__(((struct type *)0)->field) value_;                               \
		if (at_ + sizeof(value_) <= (bytes) && at_ + sizeof(value_) <= KREAD_BYTES) \
			value_ = *(__typeof__(value_) *)((char *)(block)->words + at_);     \
		else                                                                        \
			value_ = KERNEL_READ(type, address, field);                         \
		value_;                                                                     \
	})

static __always_inline __u64 kread_word(__u64 address)
{
	__u64 word = 0;

	if (bpf_probe_read_kernel(&word, sizeof(word), (const void *)address))
		return 0;
	return word;
}
