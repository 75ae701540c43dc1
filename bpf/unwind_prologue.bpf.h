/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * unwind_prologue - the return address of a leaf that is in its prologue or epilogue
 */

#include <bpf/bpf_helpers.h>
#include <stdbool.h>

#include <linux/types.h>

#define UNWIND_PROLOGUE_CALL_BYTES 7 /* of the longest call */

/*
 * For code that keeps frame pointers and has no unwind rule: the address of the return address
 * while the leaf has no frame record. That is before it pushes or sets the frame pointer, and
 * before it returns. 0: it has its record, or never makes one.
 */
static __always_inline __u64 unwind_prologue_return_at(__u64 ip, __u64 sp)
{
	__u64 code = 0;

	if (bpf_probe_read_user(&code, sizeof(code), (const void *)ip))
		return 0;
	if ((code & 0xff) == 0xc3 || (code & 0xffff) == 0xc3f3) /* ret, rep ret */
		return sp;
	if ((code & 0xff) == 0x55 || (code & 0xffffffffff) == 0x55fa1e0ff3) /* push, endbr64 push */
		return sp;
	return (code & 0xffffff) == 0xe58948 ? sp + 8 : 0; /* mov %rsp,%rbp */
}

/* Whether a call ends right before the address: direct, or by register or memory (ff /2). */
static __always_inline bool unwind_prologue_called(__u64 address)
{
	__u8 code[UNWIND_PROLOGUE_CALL_BYTES];

	if (bpf_probe_read_user(code, sizeof(code), (const void *)(address - sizeof(code))))
		return false;
	if (code[2] == 0xe8)
		return true;
#pragma unroll
	for (int at = 0; at < 6; at++)
		if (code[at] == 0xff && (code[at + 1] & 0x38) == 0x10)
			return true;
	return false;
}
