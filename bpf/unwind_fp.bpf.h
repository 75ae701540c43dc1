/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * unwind_fp - the registers of the caller, by frame pointer
 */

#include "bpf/stack_switch.bpf.h"
#include "bpf/unwind_prologue.bpf.h"

#define UNWIND_FP_FRAME_MAX (16ull << 20) /* bytes; a larger frame means a broken chain */

/* Whether the leaf, which has no rule, has not made its frame record or not any more. */
static __always_inline bool unwind_fp_in_prologue(struct scratch *s, __u32 level,
						  struct caller *caller)
{
	if (s->walk.called || !frame_is_of_code(s->walk.frame))
		return false;
	caller->ra_at = unwind_prologue_return_at(s->walk.ip, s->walk.sp);
	return caller->ra_at && user_stack_read(s, level, caller->ra_at, &caller->ra) &&
	       frame_code_at(level, caller->ra - UNWIND_PROLOGUE_CALL_BYTES) &&
	       frame_code_at(level, caller->ra - 1) && unwind_prologue_called(caller->ra);
}

/* Return: 0, or 1 with a stop reason. */
static __always_inline int unwind_fp_apply(struct scratch *s, __u32 level, struct caller *caller)
{
	__u64 fp = s->walk.fp;

	if (unwind_fp_in_prologue(s, level, caller)) {
		caller->sp = caller->ra_at + 8;
		caller->fp = fp;
		return 0;
	}
	if (!fp || (fp & 7) ||
	    (!s->walk.sp_lost && (fp < s->walk.sp || fp - s->walk.sp > UNWIND_FP_FRAME_MAX)))
		return unwind_end_of_chain(s, fp);
	caller->ra_at = fp + 8;
	caller->sp = fp + 16;
	if ((!user_stack_read(s, level, fp, &caller->fp) ||
	     !user_stack_read(s, level, caller->ra_at, &caller->ra)) &&
	    !(s->walk.sp_lost && stack_switch_read(level, fp, caller->ra_at)))
		return unwind_end(s, s->walk.table ? TM_STOP_STACK_FAULT : TM_STOP_NO_TABLE);
	s->walk.sp_lost = false;
	s->walk.kept_state = WALK_KEPT_LOST;
	return 0;
}
