/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * unwind_end - where a user stack ends, and why
 *
 * A stack is complete where a rule says that the frame is the outermost one, where the return
 * address of a caller is zero, or where the initial stack of the process begins. Every other end
 * has a reason.
 */

#include "bpf/frame.bpf.h"
#include "bpf/user_regs.bpf.h"

#define UNWIND_END_BOTTOM  64u     /* bytes that _start may have pushed */
#define UNWIND_END_SYSCALL 0x050fu /* the instruction */

/* Return: 1. */
static __always_inline int unwind_end(struct scratch *s, __u32 reason)
{
	s->walk.stop = reason;
	return 1;
}

/* Right behind the system call that made this thread: its stack is new, and it has no caller. */
static __always_inline bool unwind_end_is_new_thread(struct scratch *s, __u32 level)
{
	__u16 code = 0;

	if (s->walk.called || !frame_code_at(level, s->walk.ip - 2) ||
	    bpf_probe_read_user(&code, sizeof(code), (void *)(s->walk.ip - 2)))
		return false;
	return code == UNWIND_END_SYSCALL && !user_regs_read(level, USER_REGS_RESULT);
}

/* The rule led to no caller. For the first frame of a new thread that is the end. */
static __always_inline int unwind_end_of_rule(struct scratch *s, __u32 level, __u32 reason)
{
	if (unwind_end_is_new_thread(s, level))
		return unwind_end(s, TM_STOP_NONE);
	return unwind_end(s, s->walk.table_missing ? TM_STOP_NO_TABLE : reason);
}

/*
 * The chain of frame pointers ends with @fp, or there is none. By the ABI the outermost frame has
 * zero for its frame pointer, but code without frame pointers may have any value in that register.
 * So a zero is the end only if a frame pointer led to this frame. The start of the initial stack
 * is an end, too. Neither is if a table is missing, here or for a frame below.
 */
static __always_inline int unwind_end_of_chain(struct scratch *s, __u64 fp)
{
	__u64 bottom = (__u64)KERNEL_READ(mm_struct, s->walk.mm, start_stack);

	if (s->walk.called && bottom - s->walk.sp < UNWIND_END_BOTTOM)
		return unwind_end(s, TM_STOP_NONE);
	if (!s->walk.table || s->walk.table_missing)
		return unwind_end(s, TM_STOP_NO_TABLE);
	if (!fp && s->walk.by_fp)
		return unwind_end(s, TM_STOP_NONE);
	return unwind_end(s, TM_STOP_FRAME_POINTER);
}
