/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * unwind_rule - the registers of the caller, by a rule of the unwind table
 */

#include "bpf/java_file.bpf.h"
#include "bpf/stack_switch.bpf.h"

/* libcrypto's bn_mul_mont has its caller's stack pointer in the array that its frame is, behind as
 * many words as r9 says, which no callee need restore. No other use is known. */
static __always_inline bool unwind_rule_is_index(const struct tm_rule *rule)
{
	return rule->base == TM_UNWIND_TABLE_INDEX && rule->cfa_offset == 8 && rule->cfa_add == 8;
}

/* The rare kinds of CFA. Return: whether the CFA is known. */
static __always_inline bool unwind_rule_rare_cfa(struct scratch *s, __u32 level,
						 const struct tm_rule *rule, __u64 *cfa)
{
	__u64 sp = s->walk.sp, at;

	if (rule->cfa == TM_CFA_PLT) {
		*cfa = sp + (__s64)rule->cfa_offset;
		if ((s->walk.frame & 15) >= rule->cfa_add)
			*cfa += 8;
		return !s->walk.sp_lost;
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
	if (s->walk.sp_lost && (rule->cfa == TM_CFA_DEREF_SP || rule->cfa == TM_CFA_DEREF_INDEXED))
		return false;
	if (rule->cfa == TM_CFA_DEREF_INDEXED && !unwind_rule_is_index(rule))
		return false;
	if (rule->cfa == TM_CFA_DEREF_REGISTER && !user_regs_known(s, rule->base))
		return false;
	if (!user_stack_read(s, level, at + (__s64)rule->cfa_offset, cfa))
		return false;
	*cfa += rule->cfa_add;
	return true;
}

static __always_inline bool unwind_rule_cfa(struct scratch *s, __u32 level,
					    const struct tm_rule *rule, __u64 *cfa)
{
	if (rule->cfa == TM_CFA_SP) {
		*cfa = s->walk.sp + (__s64)rule->cfa_offset;
		return !s->walk.sp_lost;
	}
	if (rule->cfa == TM_CFA_FP) {
		*cfa = s->walk.fp + (__s64)rule->cfa_offset;
		return true;
	}
	return unwind_rule_rare_cfa(s, level, rule, cfa);
}

/* A saved register by the rare kinds of place. Return: whether it could be read. */
static __always_inline bool unwind_rule_saved(struct scratch *s, __u32 level, __u32 how,
					      __s64 offset, __u64 cfa, __u64 *at, __u64 *value)
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
	return user_stack_read(s, level, *at, value);
}

static __always_inline bool unwind_rule_fp(struct scratch *s, __u32 level,
					   const struct tm_rule *rule, __u64 cfa, __u64 *fp)
{
	__u64 at;

	*fp = 0;
	if (rule->fp == TM_SAVED_NOWHERE)
		return true;
	*fp = s->walk.fp;
	if (rule->fp == TM_SAVED_SAME)
		return true;
	return unwind_rule_saved(s, level, rule->fp, rule->fp_offset, cfa, &at, fp);
}

/*
 * Return address and frame pointer. In the common case they are adjacent: the lower one is read
 * first, so that one piece of the stack has both.
 */
static __always_inline bool unwind_rule_saved_both(struct scratch *s, __u32 level,
						   const struct tm_rule *rule, __u64 cfa,
						   struct caller *caller)
{
	if (rule->ra == TM_SAVED_CFA && rule->fp == TM_SAVED_CFA) {
		caller->ra_at = cfa + (__s64)rule->ra_offset;
		return user_stack_read(s, level, cfa + (__s64)rule->fp_offset, &caller->fp) &&
		       user_stack_read(s, level, caller->ra_at, &caller->ra);
	}
	return unwind_rule_saved(s, level, rule->ra, rule->ra_offset, cfa, &caller->ra_at,
				 &caller->ra) &&
	       unwind_rule_fp(s, level, rule, cfa, &caller->fp);
}

/* Return: 0, or 1 with a stop reason. */
static __always_inline int unwind_rule_apply(struct scratch *s, __u32 level,
					     const struct tm_rule *rule, struct caller *caller)
{
	__u64 cfa = 0;

	if (rule->cfa == TM_CFA_END)
		return s->walk.called || !(rule->flags & TM_RULE_SP_LOST)
			       ? unwind_end(s, TM_STOP_NONE)
			       : unwind_end_of_rule(s, level, TM_STOP_RETURN_ADDRESS);
	if (!unwind_rule_cfa(s, level, rule, &cfa))
		return unwind_end_of_rule(s, level, TM_STOP_RETURN_ADDRESS);
	if (!unwind_rule_saved_both(s, level, rule, cfa, caller) &&
	    !(stack_switch_is_known(s, rule) &&
	      stack_switch_read(level, cfa + (__s64)rule->fp_offset, cfa + (__s64)rule->ra_offset)))
		return unwind_end_of_rule(s, level, TM_STOP_STACK_FAULT);
	if (rule->flags & TM_RULE_SIGNAL) {
		if (!stack_switch_by_signal(s, level, rule, cfa))
			return unwind_end_of_rule(s, level, TM_STOP_RETURN_ADDRESS);
		caller->context = s->walk.sp + USER_REGS_FIELD;
	} else if (rule->cfa == TM_CFA_SP && cfa < s->walk.sp) {
		return unwind_end_of_rule(s, level, TM_STOP_RETURN_ADDRESS);
	}
	if (rule->flags & TM_RULE_KEPT)
		s->walk.kept_state =
			user_stack_read(s, level, cfa - 8ull * rule->cfa_add, &s->walk.kept)
				? WALK_KEPT_VALUE
				: WALK_KEPT_LOST;
	caller->sp = cfa;
	s->walk.sp_lost = rule->flags & TM_RULE_SP_LOST;
	return 0;
}

/* The rule of the current frame. NULL: none. */
static __always_inline const struct tm_rule *unwind_rule_find(struct scratch *s, __u32 level)
{
	const struct tm_rule *rule;

	s->walk.in_loop = false;
	if (!s->walk.table || s->walk.table & TM_UNWIND_MAP_EMPTY)
		return NULL;
	if (s->walk.table & TM_UNWIND_MAP_RUNTIME)
		java_file_meet(s);
	rule = unwind_table_rule(s, level, mapping_cache_of(s)->generation);
	return rule->cfa == TM_CFA_NONE ? NULL : rule;
}
