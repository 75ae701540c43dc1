/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * unwind - from one user frame to its caller: by the rule of its place, else by frame pointer
 *
 * A stack is complete where a rule says that this is the outermost frame, where the return address
 * is zero, or where the initial stack of the process begins. Whatever else ends it is its stop reason.
 */

#include "bpf/frame.bpf.h"
#include "bpf/unwind_prologue.bpf.h"
#include "bpf/unwind_table.bpf.h"
#include "bpf/user_regs.bpf.h"
#include "bpf/user_stack.bpf.h"

#define UNWIND_TIME_NS    1000000ull    /* for the user stack of one sample */
#define UNWIND_TIME_EVERY 64u           /* frames between two looks at the clock; a power of two */
#define UNWIND_FRAME_MAX  (16ull << 20) /* a larger frame of a chain is a broken chain */
#define UNWIND_BOTTOM     64u           /* bytes that _start may have pushed */
#define UNWIND_SYSCALL    0x050fu       /* the instruction */
#define UNWIND_WORDS      (TM_KERNEL_FRAMES_MAX + TM_USER_FRAMES_MAX)

static __always_inline int unwind_stop(struct scratch *s, __u32 reason)
{
	s->walk.stop = reason;
	return 1;
}

/* Behind the system call that made this thread: its stack is new, and nobody called it. */
static __always_inline bool unwind_is_newborn(struct scratch *s, __u32 level)
{
	__u16 code = 0;

	if (s->walk.called || bpf_probe_read_user(&code, sizeof(code), (void *)(s->walk.ip - 2)))
		return false;
	return code == UNWIND_SYSCALL && !user_regs_read(level, USER_REGS_RESULT);
}

/* A rule that led nowhere, unless it was the frame it was asked for that was none. */
static __always_inline int unwind_misled(struct scratch *s, __u32 level, __u32 reason)
{
	if (unwind_is_newborn(s, level))
		return unwind_stop(s, TM_STOP_NONE);
	return unwind_stop(s, s->walk.blind ? TM_STOP_NO_TABLE : reason);
}

static __always_inline void unwind_put(struct scratch *s, __u64 word)
{
	__u64 at = (__u64)s->walk.first + s->walk.frames;

	kread_opaque(at);
	if (at < UNWIND_WORDS)
		s->frames[at] = word;
	s->walk.frames++;
}

/*
 * A chain of frame pointers ends here, with @fp, or there is none. The outermost frame has zero for its
 * frame pointer, so the ABI; but in code without frame pointers any number may be in that register. So
 * a zero counts where a chain led to it; and so does the place where the initial stack begins. Never
 * where the rows are only not there yet, or were not for a frame before.
 */
static __always_inline int unwind_chain_ends(struct scratch *s, __u64 fp)
{
	__u64 bottom = (__u64)KERNEL_READ(mm_struct, s->walk.mm, start_stack);

	if (s->walk.called && bottom - s->walk.sp < UNWIND_BOTTOM)
		return unwind_stop(s, TM_STOP_NONE);
	if (!s->walk.table || s->walk.blind)
		return unwind_stop(s, TM_STOP_NO_TABLE);
	if (!fp && s->walk.chained)
		return unwind_stop(s, TM_STOP_NONE);
	return unwind_stop(s, TM_STOP_FRAME_POINTER);
}

/* --- by rule ------------------------------------------------------------------------------------ */

/* The rarer rules. Return: whether the address of the frame is known. */
static __always_inline bool unwind_cfa_rarely(struct scratch *s, __u32 level,
					      const struct tm_rule *rule, __u64 *cfa)
{
	__u64 sp = s->walk.sp, at;

	if (rule->cfa == TM_CFA_PLT) {
		*cfa = sp + (__s64)rule->cfa_offset;
		if ((s->walk.word & 15) >= rule->cfa_add)
			*cfa += 8;
		return !s->walk.lost;
	}
	if (rule->cfa == TM_CFA_REGISTER) {
		*cfa = user_regs_read(level, rule->base) + (__s64)rule->cfa_offset;
		return user_regs_known(s, rule->base);
	}
	if (rule->cfa == TM_CFA_DEREF_SP)
		at = sp;
	else if (rule->cfa == TM_CFA_DEREF_FP)
		at = s->walk.fp;
	else if (rule->cfa == TM_CFA_DEREF_INDEXED)
		at = sp + 8 * user_regs_read(level, rule->base);
	else
		at = user_regs_read(level, rule->base);
	if (s->walk.lost && (rule->cfa == TM_CFA_DEREF_SP || rule->cfa == TM_CFA_DEREF_INDEXED))
		return false;
	if ((rule->cfa == TM_CFA_DEREF_REGISTER || rule->cfa == TM_CFA_DEREF_INDEXED) &&
	    !user_regs_known(s, rule->base))
		return false;
	if (!user_stack_read(s, at + (__s64)rule->cfa_offset, cfa))
		return false;
	*cfa += rule->cfa_add;
	return true;
}

static __always_inline bool unwind_cfa(struct scratch *s, __u32 level, const struct tm_rule *rule,
				       __u64 *cfa)
{
	if (rule->cfa == TM_CFA_SP) {
		*cfa = s->walk.sp + (__s64)rule->cfa_offset;
		return !s->walk.lost;
	}
	if (rule->cfa == TM_CFA_FP) {
		*cfa = s->walk.fp + (__s64)rule->cfa_offset;
		return true;
	}
	return unwind_cfa_rarely(s, level, rule, cfa);
}

/* A saved register that is not where most are. Return: whether it could be read. */
static __always_inline bool unwind_saved(struct scratch *s, __u32 level, __u32 how, __s64 offset,
					 __u64 cfa, __u64 *at, __u64 *value)
{
	if (how == TM_SAVED_REGISTER) {
		*at = 0;
		*value = user_regs_read(level, (__u32)offset);
		return user_regs_known(s, (__u32)offset);
	}
	*at = cfa + offset;
	if (how == TM_SAVED_SP)
		*at = s->walk.sp + offset;
	else if (how == TM_SAVED_FP)
		*at = s->walk.fp + offset;
	return user_stack_read(s, *at, value);
}

static __always_inline bool unwind_fp(struct scratch *s, __u32 level, const struct tm_rule *rule,
				      __u64 cfa, __u64 *fp)
{
	__u64 at;

	*fp = 0;
	if (rule->fp == TM_SAVED_NOWHERE)
		return true;
	*fp = s->walk.fp;
	if (rule->fp == TM_SAVED_SAME)
		return true;
	return unwind_saved(s, level, rule->fp, rule->fp_offset, cfa, &at, fp);
}

/* Both where they mostly are, the lower one first: one window has both. */
static __always_inline bool unwind_saved_both(struct scratch *s, __u32 level,
					      const struct tm_rule *rule, __u64 cfa,
					      struct caller *caller)
{
	if (rule->ra == TM_SAVED_CFA && rule->fp == TM_SAVED_CFA) {
		caller->ra_at = cfa + (__s64)rule->ra_offset;
		return user_stack_read(s, cfa + (__s64)rule->fp_offset, &caller->fp) &&
		       user_stack_read(s, caller->ra_at, &caller->ra);
	}
	return unwind_saved(s, level, rule->ra, rule->ra_offset, cfa, &caller->ra_at,
			    &caller->ra) &&
	       unwind_fp(s, level, rule, cfa, &caller->fp);
}

/* Return: 0, or 1 with a stop reason. */
static __always_inline int unwind_by_rule(struct scratch *s, __u32 level,
					  const struct tm_rule *rule, struct caller *caller)
{
	__u64 cfa = 0;

	if (rule->cfa == TM_CFA_END)
		return s->walk.called || !(rule->flags & TM_RULE_SP_LOST)
			       ? unwind_stop(s, TM_STOP_NONE)
			       : unwind_misled(s, level, TM_STOP_RETURN_ADDRESS);
	if (!unwind_cfa(s, level, rule, &cfa))
		return unwind_misled(s, level, TM_STOP_RETURN_ADDRESS);
	if (!unwind_saved_both(s, level, rule, cfa, caller))
		return unwind_misled(s, level, TM_STOP_STACK_FAULT);
	if (rule->flags & TM_RULE_SIGNAL)
		caller->context = s->walk.sp + USER_REGS_FIELD;
	else if (rule->cfa == TM_CFA_SP && cfa < s->walk.sp)
		return unwind_misled(s, level, TM_STOP_RETURN_ADDRESS);
	if (rule->flags & TM_RULE_KEPT)
		s->walk.keeps = user_stack_read(s, cfa - 8ull * rule->cfa_add, &s->walk.kept)
					? WALK_KEPT_VALUE
					: WALK_KEPT_LOST;
	caller->sp = cfa;
	s->walk.lost = rule->flags & TM_RULE_SP_LOST;
	return 0;
}

/* --- by frame pointer --------------------------------------------------------------------------- */

/* Return: 0, or 1 with a stop reason. */
static __always_inline int unwind_by_pointer(struct scratch *s, struct caller *caller)
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
	    (!s->walk.lost && (fp < s->walk.sp || fp - s->walk.sp > UNWIND_FRAME_MAX)))
		return unwind_chain_ends(s, fp);
	caller->ra_at = fp + 8;
	caller->sp = fp + 16;
	if (!user_stack_read(s, fp, &caller->fp) || !user_stack_read(s, caller->ra_at, &caller->ra))
		return unwind_stop(s, s->walk.table ? TM_STOP_STACK_FAULT : TM_STOP_NO_TABLE);
	s->walk.lost = 0;
	s->walk.keeps = WALK_KEPT_LOST;
	return 0;
}

/* --- one frame up ------------------------------------------------------------------------------- */

/* NULL: none. */
static __always_inline const struct tm_rule *unwind_rule(struct scratch *s)
{
	const struct tm_rule *rule;

	if (!s->walk.table || s->walk.table & TM_UNWIND_MAP_EMPTY)
		return NULL;
	rule = unwind_table_rule(s, mapping_cache_of(s)->generation);
	return rule->cfa == TM_CFA_NONE ? NULL : rule;
}

/* Hand-made stacks begin with a zero; where a leaf finds one, it is about to change its stack. */
static __always_inline int unwind_to_zero(struct scratch *s, __u32 level)
{
	if (s->walk.called)
		return unwind_stop(s, TM_STOP_NONE);
	return unwind_misled(s, level, TM_STOP_RETURN_ADDRESS);
}

/* The caller's frame. Return: 0, or 1 with a stop reason. */
static __always_inline int unwind_to(struct scratch *s, __u32 level, const struct caller *caller,
				     bool by_rule)
{
	__u64 exact = caller->context != 0, table = s->walk.table, word;

	if (!caller->ra)
		return by_rule && !s->walk.blind ? unwind_to_zero(s, level)
						 : unwind_chain_ends(s, caller->fp);
	word = frame_of(s, level, caller->ra - 1 + exact);
	if (word == FRAME_UNRESOLVED(NO_MAPPING)) {
		if (caller->ra_at == (__u64)KERNEL_READ(mm_struct, s->walk.mm, start_stack))
			return unwind_stop(s, TM_STOP_NONE);
		s->walk.table = table;
		return by_rule ? unwind_misled(s, level, TM_STOP_RETURN_ADDRESS)
			       : unwind_chain_ends(s, 1);
	}
	s->walk.blind |= !by_rule && !table;
	s->walk.word = word;
	s->walk.sp = caller->sp;
	s->walk.fp = caller->fp;
	s->walk.ip = caller->ra;
	s->walk.chained = !by_rule;
	s->walk.called = !exact;
	if (exact) {
		s->walk.registers = caller->context;
		s->walk.kind = WALK_CONTEXT;
		s->walk.keeps = WALK_KEPT_SAME;
	} else {
		word = (frame_is_unresolved(word) ? word : word + 1) | TM_FRAME_RETURN;
	}
	unwind_put(s, word);
	return 0;
}

/* 1 when there is nothing more to do. */
static __always_inline int unwind_once(struct scratch *s, __u32 level)
{
	const struct tm_rule *rule;
	struct caller *caller = &s->walk.caller; /* on the stack it would be too much for 5.10 */

	if (s->walk.frames >= TM_USER_FRAMES_MAX)
		return unwind_stop(s, TM_STOP_DEPTH);
	if (!(s->walk.frames & (UNWIND_TIME_EVERY - 1)) &&
	    bpf_ktime_get_ns() - s->walk.started > UNWIND_TIME_NS)
		return unwind_stop(s, TM_STOP_TIME);
	rule = unwind_rule(s);
	caller->context = 0;
	if (rule ? unwind_by_rule(s, level, rule, caller) : unwind_by_pointer(s, caller))
		return 1;
	if (rule)
		s->counts.steps_rows++;
	else
		s->counts.steps_pointer++;
	return unwind_to(s, level, caller, rule != NULL);
}

/* For a loop that the verifier follows step by step: it must be verified only once. */
__noinline int unwind_counted(__u32 level)
{
	struct scratch *s = nesting_scratch(level);

	return s ? unwind_once(s, level) : 1;
}
