/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule - translates a row of call frame information into an unwind rule
 */

#include "symbolizer/parser/cfi/rule.h"

#include <string.h>

#include "symbolizer/parser/cfi/expression.h"
#include "symbolizer/parser/x86_64.h"

static bool fits(int64_t number, int64_t least, int64_t most)
{
	return number >= least && number <= most;
}

static bool cfa_from_register(struct tm_rule *rule, uint32_t number, int64_t offset)
{
	if (number >= X86_64_REGISTERS || number == X86_64_RA ||
	    !fits(offset, INT32_MIN, INT32_MAX))
		return false;
	rule->cfa_offset = (int32_t)offset;
	rule->cfa = TM_CFA_REGISTER;
	if (number == X86_64_SP)
		rule->cfa = TM_CFA_SP;
	else if (number == X86_64_FP)
		rule->cfa = TM_CFA_FP;
	else
		rule->base = (uint8_t)number;
	return true;
}

static bool cfa_from_memory(struct tm_rule *rule, const struct expression *value)
{
	if (!fits(value->add, 0, UINT8_MAX) || !cfa_from_register(rule, value->base, value->offset))
		return false;
	rule->cfa_add = (uint8_t)value->add;
	if (value->index != EXPRESSION_NONE) {
		if (rule->cfa != TM_CFA_SP || value->scale != X86_64_WORD ||
		    value->index != TM_UNWIND_TABLE_INDEX || value->offset != X86_64_WORD ||
		    value->add != X86_64_WORD)
			return false;
		rule->cfa = TM_CFA_DEREF_INDEXED;
		rule->base = (uint8_t)value->index;
		return true;
	}
	rule->cfa = rule->cfa == TM_CFA_SP   ? TM_CFA_DEREF_SP
		    : rule->cfa == TM_CFA_FP ? TM_CFA_DEREF_FP
					     : TM_CFA_DEREF_REGISTER;
	return true;
}

static bool cfa_from_expression(struct tm_rule *rule, const struct register_rule *from)
{
	struct expression value;
	int64_t offset;

	if (expression_match_plt(from->expression, from->bytes, &offset, &rule->cfa_add) == 0) {
		if (!fits(offset, INT32_MIN, INT32_MAX))
			return false;
		rule->cfa = TM_CFA_PLT;
		rule->cfa_offset = (int32_t)offset;
		return true;
	}
	if (expression_evaluate(from->expression, from->bytes, false, &value))
		return false;
	if (value.is_deref)
		return cfa_from_memory(rule, &value);
	return value.index == EXPRESSION_NONE && cfa_from_register(rule, value.base, value.offset);
}

static bool set_cfa(struct tm_rule *rule, const struct register_rule *from)
{
	if (from->kind == REGISTER_RULE_VAL_OFFSET)
		return cfa_from_register(rule, from->number, from->offset);
	return from->kind == REGISTER_RULE_VAL_EXPRESSION && cfa_from_expression(rule, from);
}

/* Saved at the address that an expression gives: an offset from the CFA, sp or fp. */
static enum tm_rule_saved saved_at(const struct register_rule *from, int64_t *ret_offset)
{
	struct expression value;

	if (expression_evaluate(from->expression, from->bytes, true, &value) || value.is_deref ||
	    value.index != EXPRESSION_NONE)
		return TM_SAVED_NOWHERE;
	*ret_offset = value.offset;
	switch (value.base) {
	case EXPRESSION_CFA:
		return TM_SAVED_CFA;
	case X86_64_SP:
		return TM_SAVED_SP;
	case X86_64_FP:
		return TM_SAVED_FP;
	default:
		return TM_SAVED_NOWHERE;
	}
}

static enum tm_rule_saved saved_by(const struct register_rule *from, int64_t *ret_offset)
{
	*ret_offset = 0;
	switch (from->kind) {
	case REGISTER_RULE_UNSPECIFIED:
	case REGISTER_RULE_SAME_VALUE:
		return TM_SAVED_SAME;
	case REGISTER_RULE_OFFSET:
		*ret_offset = from->offset;
		return TM_SAVED_CFA;
	case REGISTER_RULE_REGISTER:
		*ret_offset = from->number;
		return from->number < X86_64_REGISTERS ? TM_SAVED_REGISTER : TM_SAVED_NOWHERE;
	case REGISTER_RULE_EXPRESSION:
		return saved_at(from, ret_offset);
	default:
		return TM_SAVED_NOWHERE;
	}
}

static bool set_return_address(struct tm_rule *rule, const struct register_rule *from)
{
	int64_t offset;

	if (from->kind == REGISTER_RULE_UNSPECIFIED) { /* the ABI's default */
		rule->ra = TM_SAVED_CFA;
		rule->ra_offset = X86_64_CALL_RA;
		return true;
	}
	rule->ra = (uint8_t)saved_by(from, &offset);
	rule->ra_offset = (int16_t)offset;
	return rule->ra != TM_SAVED_NOWHERE && rule->ra != TM_SAVED_SAME &&
	       fits(offset, INT16_MIN, INT16_MAX);
}

static void set_frame_pointer(struct tm_rule *rule, const struct register_rule *from)
{
	int64_t offset;

	rule->fp = (uint8_t)saved_by(from, &offset);
	rule->fp_offset = (int32_t)offset;
	if (!fits(offset, INT32_MIN, INT32_MAX)) {
		rule->fp = TM_SAVED_NOWHERE;
		rule->fp_offset = 0;
	}
}

/* Where rbx was saved, if a rule can express it. */
static void set_rbx(struct tm_rule *rule, const struct register_rule *from)
{
	int64_t words = -from->offset / X86_64_WORD;

	if (from->kind != REGISTER_RULE_OFFSET || from->offset % X86_64_WORD ||
	    !fits(words, 1, UINT8_MAX) || (rule->cfa != TM_CFA_SP && rule->cfa != TM_CFA_FP))
		return;
	rule->flags |= TM_RULE_KEPT;
	rule->cfa_add = (uint8_t)words;
}

/* The caller's sp is the CFA, unless its rule gives another place than the CFA is read from. */
static bool stack_pointer_is_cfa(const struct tm_rule *rule, const struct register_rule *from)
{
	int64_t offset;

	switch (from->kind) {
	case REGISTER_RULE_UNSPECIFIED:
		return true;
	case REGISTER_RULE_VAL_OFFSET:
		return from->offset == 0;
	case REGISTER_RULE_EXPRESSION:
		return saved_at(from, &offset) == TM_SAVED_SP && rule->cfa == TM_CFA_DEREF_SP &&
		       offset == rule->cfa_offset && rule->cfa_add == 0;
	default:
		return false;
	}
}

/* A return address below the stack pointer is no caller's: this is a thread's first function. */
static bool is_outermost(const struct tm_rule *rule)
{
	return rule->cfa == TM_CFA_SP && rule->ra == TM_SAVED_CFA &&
	       (int64_t)rule->cfa_offset + rule->ra_offset < 0;
}

/* The unwinder knows the kernel's signal frame alone. */
static bool is_signal_rule(const struct tm_rule *rule)
{
	const struct tm_rule signal = x86_64_signal_rule();

	return memcmp(rule, &signal, sizeof(signal)) == 0;
}

struct tm_rule rule_from_row(const struct row *row, bool is_signal)
{
	struct tm_rule rule = {.flags = is_signal ? TM_RULE_SIGNAL : 0};

	if (row->ra.kind == REGISTER_RULE_UNDEFINED)
		return (struct tm_rule){.cfa = TM_CFA_END};
	if (!set_cfa(&rule, &row->cfa) || !set_return_address(&rule, &row->ra))
		return (struct tm_rule){.cfa = TM_CFA_NONE};
	if (is_outermost(&rule))
		return (struct tm_rule){.cfa = TM_CFA_END};
	set_frame_pointer(&rule, &row->fp);
	set_rbx(&rule, &row->bx);
	if (!stack_pointer_is_cfa(&rule, &row->sp))
		rule.flags |= TM_RULE_SP_LOST;
	return !is_signal || is_signal_rule(&rule) ? rule : (struct tm_rule){.cfa = TM_CFA_NONE};
}
