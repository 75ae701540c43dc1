/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_height - where the CFA and the caller's registers are while a function moves its stack
 */

#include "symbolizer/parser/x86/stack_height.h"

#include "symbolizer/parser/x86_64.h"

struct stack_height stack_height_at_entry(void)
{
	return (struct stack_height){.sp = X86_64_WORD};
}

/* The distance of register @number + @value; 0: not known. */
static int64_t distance(const struct stack_height *height, uint32_t number, int64_t value)
{
	int64_t from = 0, found;

	if (number == INSN_SP)
		from = height->sp;
	else if (height->fp_state == STACK_HEIGHT_FP_BASE)
		from = height->fp;
	found = from - value;
	return from && found > -STACK_HEIGHT_MAX && found < STACK_HEIGHT_MAX ? found : 0;
}

/* Within a function sp never rises above the return address. */
static int set_sp(struct stack_height *height, int64_t sp)
{
	if (sp && (sp < X86_64_WORD || sp > STACK_HEIGHT_MAX))
		return STACK_HEIGHT_E_UNKNOWN;
	if (!sp && height->fp_state != STACK_HEIGHT_FP_BASE)
		return STACK_HEIGHT_E_UNKNOWN;
	height->sp = (int32_t)sp;
	/* The slot was popped, after its value had been loaded. */
	if (sp && height->saved_fp > sp && height->fp_state == STACK_HEIGHT_FP_CALLER)
		height->saved_fp = 0;
	if (sp && height->rbx_words != STACK_HEIGHT_RBX_LOST &&
	    height->rbx_words * X86_64_WORD > sp)
		height->rbx_words = 0;
	return 0;
}

static void set_fp(struct stack_height *height, int64_t fp)
{
	height->fp_state = fp ? STACK_HEIGHT_FP_BASE : STACK_HEIGHT_FP_OTHER;
	height->fp = (int32_t)fp;
}

static void save_fp(struct stack_height *height, int64_t slot)
{
	if (height->fp_state == STACK_HEIGHT_FP_CALLER && !height->saved_fp && slot > X86_64_WORD)
		height->saved_fp = (int32_t)slot;
}

static void load_fp(struct stack_height *height, int64_t slot)
{
	set_fp(height, 0);
	if (slot && slot == height->saved_fp)
		height->fp_state = STACK_HEIGHT_FP_CALLER;
}

static int push(struct stack_height *height, uint32_t number)
{
	int64_t sp = height->sp ? height->sp + X86_64_WORD : 0;

	if (number == INSN_FP)
		save_fp(height, sp);
	/* The first push of rbx saves the caller's: compilers save before they use. */
	if (number == TM_UNWIND_TABLE_KEPT && !height->rbx_words && sp &&
	    sp < STACK_HEIGHT_RBX_LOST * X86_64_WORD)
		height->rbx_words = (uint8_t)(sp / X86_64_WORD);
	return set_sp(height, sp);
}

static int pop(struct stack_height *height, uint32_t number)
{
	int64_t sp = height->sp ? height->sp - X86_64_WORD : 0;

	if (number == INSN_SP)
		return STACK_HEIGHT_E_UNKNOWN;
	if (number == INSN_FP)
		load_fp(height, height->sp);
	return set_sp(height, sp);
}

static int leave(struct stack_height *height)
{
	if (height->fp_state != STACK_HEIGHT_FP_BASE || set_sp(height, height->fp))
		return STACK_HEIGHT_E_UNKNOWN;
	return pop(height, INSN_FP);
}

static int plain(struct stack_height *height, const struct insn *insn)
{
	if (insn->writes_fp)
		set_fp(height, 0);
	if (!insn->writes_sp)
		return 0;
	return insn->from_memory ? STACK_HEIGHT_E_UNKNOWN : set_sp(height, 0);
}

int stack_height_apply(struct stack_height *height, const struct insn *insn)
{
	int64_t place = distance(height, insn->base, insn->value);

	if (height->is_outermost)
		return 0;
	switch (insn->kind) {
	case INSN_PUSH:
		return push(height, insn->to);
	case INSN_POP:
		return pop(height, insn->to);
	case INSN_LEA:
		if (insn->to == INSN_SP)
			return set_sp(height, place);
		set_fp(height, place);
		/* Where sp is not known, only the frame pointer can restore it. */
		return height->sp || place ? 0 : STACK_HEIGHT_E_UNKNOWN;
	case INSN_STORE:
		save_fp(height, place);
		return 0;
	case INSN_LOAD:
		load_fp(height, place);
		return height->sp ? 0 : STACK_HEIGHT_E_UNKNOWN;
	case INSN_CLEAR_FP:
		set_fp(height, 0);
		return height->sp ? 0 : STACK_HEIGHT_E_UNKNOWN;
	case INSN_LEAVE:
		return leave(height);
	default:
		return plain(height, insn) ||
				       (!height->sp && height->fp_state != STACK_HEIGHT_FP_BASE)
			       ? STACK_HEIGHT_E_UNKNOWN
			       : 0;
	}
}

int stack_height_merge(struct stack_height *height, const struct stack_height *other)
{
	bool same_base = height->fp_state == STACK_HEIGHT_FP_BASE &&
			 other->fp_state == STACK_HEIGHT_FP_BASE && height->fp == other->fp;

	if (height->is_outermost != other->is_outermost || height->saved_fp != other->saved_fp)
		return STACK_HEIGHT_E_UNKNOWN;
	if (height->rbx_words != other->rbx_words)
		height->rbx_words = STACK_HEIGHT_RBX_LOST;
	if (height->sp == other->sp && height->fp == other->fp &&
	    height->fp_state == other->fp_state)
		return 0;
	if (same_base) {
		if (height->sp != other->sp)
			height->sp = 0;
		return 0;
	}
	/* The frame pointer is lost, but the slot of the caller's is still known. */
	if (!height->sp || height->sp != other->sp || !height->saved_fp)
		return STACK_HEIGHT_E_UNKNOWN;
	set_fp(height, 0);
	return 0;
}

bool stack_height_may_leave(const struct stack_height *height)
{
	return height->is_outermost ||
	       (height->sp == X86_64_WORD && height->fp_state == STACK_HEIGHT_FP_CALLER);
}

static bool is_frame_record(const struct stack_height *height)
{
	return height->fp_state == STACK_HEIGHT_FP_BASE && height->fp == X86_64_RECORD_CFA &&
	       height->saved_fp == X86_64_RECORD_CFA;
}

struct tm_rule stack_height_rule(const struct stack_height *height)
{
	struct tm_rule rule = {.cfa = TM_CFA_SP,
			       .cfa_offset = height->sp,
			       .ra = TM_SAVED_CFA,
			       .ra_offset = X86_64_CALL_RA,
			       .fp = TM_SAVED_SAME};

	if (height->is_outermost)
		return (struct tm_rule){.cfa = TM_CFA_END};
	/* By frame record where there is one: it holds also where a callee popped its arguments. */
	if (!height->sp || is_frame_record(height)) {
		rule.cfa = TM_CFA_FP;
		rule.cfa_offset = height->fp;
	}
	if (height->rbx_words && height->rbx_words != STACK_HEIGHT_RBX_LOST) {
		rule.flags = TM_RULE_KEPT;
		rule.cfa_add = height->rbx_words;
	}
	/* Where slot and register both hold the value, the slot: so the rule need not change. */
	if (height->saved_fp || height->fp_state != STACK_HEIGHT_FP_CALLER) {
		rule.fp = height->saved_fp ? TM_SAVED_CFA : TM_SAVED_NOWHERE;
		rule.fp_offset = -height->saved_fp;
	}
	return rule;
}
