/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * unwind_fp - the registers of the caller, by frame pointer
 */

#include "bpf/unwind_end.bpf.h"
#include "bpf/unwind_prologue.bpf.h"
#include "bpf/user_stack.bpf.h"

#define UNWIND_FP_FRAME_MAX (16ull << 20) /* bytes; a larger frame means a broken chain */

/* Return: 0, or 1 with a stop reason. */
static __always_inline int unwind_fp_apply(struct scratch *s, struct caller *caller)
{
	__u64 fp = s->walk.fp;

	if (!s->walk.called) {
		caller->ra_at = unwind_prologue_return_at(s->walk.ip, s->walk.sp);
		if (caller->ra_at && user_stack_read(s, caller->ra_at, &caller->ra) &&
		    unwind_prologue_called(caller->ra)) {
			caller->sp = caller->ra_at + 8;
			caller->fp = fp;
			return 0;
		}
	}
	if (!fp || (fp & 7) ||
	    (!s->walk.sp_lost && (fp < s->walk.sp || fp - s->walk.sp > UNWIND_FP_FRAME_MAX)))
		return unwind_end_of_chain(s, fp);
	caller->ra_at = fp + 8;
	caller->sp = fp + 16;
	if (!user_stack_read(s, fp, &caller->fp) || !user_stack_read(s, caller->ra_at, &caller->ra))
		return unwind_end(s, s->walk.table ? TM_STOP_STACK_FAULT : TM_STOP_NO_TABLE);
	s->walk.sp_lost = false;
	s->walk.kept_state = WALK_KEPT_LOST;
	return 0;
}
