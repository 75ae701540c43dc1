/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * unwind - from one user frame to its caller: by the rule of its place, else by frame pointer
 */

#include "bpf/java.bpf.h"
#include "bpf/python.bpf.h"
#include "bpf/unwind_fp.bpf.h"
#include "bpf/unwind_rule.bpf.h"

#define UNWIND_TIME_NS    1000000ull /* for the user stack of one sample, at most */
#define UNWIND_E_INSIDE   2
#define UNWIND_TIME_EVERY 16u /* frames between two readings of the clock; a power of two */

/* Stacks made by hand begin with a zero. In a leaf, a zero means that it is switching stacks. */
static __always_inline int unwind_to_zero(struct scratch *s, __u32 level)
{
	if (s->walk.called)
		return unwind_end(s, TM_STOP_NONE);
	return unwind_end_of_rule(s, level, TM_STOP_RETURN_ADDRESS);
}

/* Makes the caller the current frame. Return: 0, or 1 with a stop reason. */
static __always_inline int unwind_to(struct scratch *s, __u32 level, const struct caller *caller)
{
	__u64 exact = caller->context != 0, table = s->walk.table, frame;

	if (!caller->ra)
		return s->walk.by_rule && !s->walk.table_missing
			       ? unwind_to_zero(s, level)
			       : unwind_end_of_chain(s, caller->fp);
	frame = frame_of(s, level, caller->ra - 1 + exact);
	if (frame == FRAME_UNRESOLVED(NO_MAPPING)) {
		if (caller->ra_at == (__u64)KERNEL_READ(mm_struct, s->walk.mm, start_stack))
			return unwind_end(s, TM_STOP_NONE);
		s->walk.table = table;
		return s->walk.by_rule ? unwind_end_of_rule(s, level, TM_STOP_RETURN_ADDRESS)
				       : unwind_end_of_chain(s, 1);
	}
	if (!s->walk.by_rule && !table)
		s->walk.table_missing = true;
	s->walk.frame = frame;
	s->walk.sp = caller->sp;
	s->walk.fp = caller->fp;
	s->walk.ip = caller->ra;
	s->walk.by_fp = !s->walk.by_rule;
	s->walk.called = !exact;
	if (exact) {
		s->walk.registers = caller->context;
		s->walk.kind = WALK_CONTEXT;
		s->walk.kept_state = WALK_KEPT_SAME;
	} else {
		frame = (frame_is_unresolved(frame) ? frame : frame + 1) | TM_FRAME_RETURN;
	}
	frame_put(s, frame);
	return 0;
}

/* Whether the walk has used up its time. The clock is read behind each lookup, too: that, with what
 * it announces, is the longest step. The first frames are walked however long they take. */
static __always_inline bool unwind_is_late(struct scratch *s)
{
	if (s->walk.frames < UNWIND_TIME_EVERY ||
	    (!s->walk.looked_up && s->walk.frames & (UNWIND_TIME_EVERY - 1)))
		return false;
	s->walk.looked_up = false;
	return bpf_ktime_get_ns() - s->walk.started > s->walk.time_most;
}

/* Finds the caller of the current frame, s->walk.caller. Return: 0; 1 at the end of the stack;
 * UNWIND_E_INSIDE: frames of a runtime come first. */
static __always_inline int unwind_caller(struct scratch *s, __u32 level)
{
	struct caller *caller = &s->walk.caller; /* too large for the BPF stack on Linux 5.10 */
	const struct tm_rule *rule = unwind_rule_find(s, level);

	s->walk.by_rule = rule != NULL;
	caller->context = 0;
	if (frame_kind(s->walk.frame) == TM_FRAME_ANON && java_enter(s, level)) {
		s->walk.by_rule = true;
		return s->runtimes.java_inside ? UNWIND_E_INSIDE : 0;
	}
	if (s->runtimes.java_lost)
		return unwind_end(s, TM_STOP_RETURN_ADDRESS);
	if (rule ? unwind_rule_apply(s, level, rule, caller) : unwind_fp_apply(s, level, caller))
		return 1;
	if (rule)
		s->counts.bpf.steps_by_table++;
	else
		s->counts.bpf.steps_by_frame_pointer++;
	return s->walk.in_loop && python_enter(level) ? UNWIND_E_INSIDE : 0;
}

/* From the current frame to its caller. Return: 0, or 1 at the end of the stack. */
static __always_inline int unwind_once(struct scratch *s, __u32 level)
{
	int r = 0;

	if (s->walk.frames >= s->walk.frames_most)
		return unwind_end(s, TM_STOP_DEPTH);
	if (unwind_is_late(s))
		return unwind_end(s, TM_STOP_TIME);
	if (s->runtimes.python_inside || s->runtimes.java_inside) {
		if (s->runtimes.java_inside ? java_step(level) : python_step(level))
			return 0;
	} else {
		r = unwind_caller(s, level);
	}
	if (!r && s->walk.frames >= s->walk.frames_most) /* a runtime's frames came in between */
		return unwind_end(s, TM_STOP_DEPTH);
	return r ? r == 1 : unwind_to(s, level, &s->walk.caller);
}

/* The same as a function that the verifier checks once, for a loop that it follows step by step. */
__noinline int unwind_verified(__u32 level)
{
	struct scratch *s = nesting_scratch(level);

	return s ? unwind_once(s, level) : 1;
}
