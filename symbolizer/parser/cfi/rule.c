/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule - the state that a function's instructions lead to, as a rule
 */

#include "symbolizer/parser/cfi/rule.h"

#include "symbolizer/parser/cfi/expression.h"
#include "symbolizer/parser/x86/x86_64.h"

static int fits(int64_t value, int64_t least, int64_t most)
{
	return value >= least && value <= most;
}

static int cfa_from_register(struct tm_rule *rule, uint32_t number, int64_t offset)
{
	if (number >= X86_64_REGISTERS || number == X86_64_RA ||
	    !fits(offset, INT32_MIN, INT32_MAX))
		return 0;
	rule->cfa_offset = (int32_t)offset;
	rule->cfa = TM_CFA_REGISTER;
	if (number == X86_64_SP)
		rule->cfa = TM_CFA_SP;
	else if (number == X86_64_FP)
		rule->cfa = TM_CFA_FP;
	else
		rule->base = (uint8_t)number;
	return 1;
}

static int cfa_through_memory(struct tm_rule *rule, const struct expression *form)
{
	if (!fits(form->add, 0, UINT8_MAX) || !cfa_from_register(rule, form->base, form->offset))
		return 0;
	rule->cfa_add = (uint8_t)form->add;
	if (form->index != EXPRESSION_NOTHING) {
		if (rule->cfa != TM_CFA_SP || form->scale != X86_64_WORD ||
		    form->index == X86_64_RA)
			return 0;
		rule->cfa = TM_CFA_DEREF_INDEXED;
		rule->base = (uint8_t)form->index;
		return 1;
	}
	rule->cfa = rule->cfa == TM_CFA_SP   ? TM_CFA_DEREF_SP
		    : rule->cfa == TM_CFA_FP ? TM_CFA_DEREF_FP
					     : TM_CFA_DEREF_REGISTER;
	return 1;
}

static int cfa_from_expression(struct tm_rule *rule, const struct place *place)
{
	struct expression form;
	int64_t offset;

	if (expression_of_plt(place->code, place->bytes, &offset, &rule->cfa_add) == 0) {
		if (!fits(offset, INT32_MIN, INT32_MAX))
			return 0;
		rule->cfa = TM_CFA_PLT;
		rule->cfa_offset = (int32_t)offset;
		return 1;
	}
	if (expression_of(place->code, place->bytes, 0, &form))
		return 0;
	if (form.deref)
		return cfa_through_memory(rule, &form);
	return form.index == EXPRESSION_NOTHING && cfa_from_register(rule, form.base, form.offset);
}

static int cfa_of(struct tm_rule *rule, const struct place *place)
{
	if (place->kind == PLACE_IS)
		return cfa_from_register(rule, place->number, place->offset);
	return place->kind == PLACE_IS_EXPRESSION && cfa_from_expression(rule, place);
}

/* At an address that an expression gives: a distance from the CFA, sp or fp. */
static enum tm_rule_saved saved_at(const struct place *place, int64_t *ret_offset)
{
	struct expression form;

	if (expression_of(place->code, place->bytes, 1, &form) || form.deref ||
	    form.index != EXPRESSION_NOTHING)
		return TM_SAVED_NOWHERE;
	*ret_offset = form.offset;
	switch (form.base) {
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

static enum tm_rule_saved saved(const struct place *place, int64_t *ret_offset)
{
	*ret_offset = 0;
	switch (place->kind) {
	case PLACE_UNSAID:
	case PLACE_SAME:
		return TM_SAVED_SAME;
	case PLACE_AT:
		*ret_offset = place->offset;
		return TM_SAVED_CFA;
	case PLACE_REGISTER:
		*ret_offset = place->number;
		return place->number < X86_64_REGISTERS ? TM_SAVED_REGISTER : TM_SAVED_NOWHERE;
	case PLACE_AT_EXPRESSION:
		return saved_at(place, ret_offset);
	default:
		return TM_SAVED_NOWHERE;
	}
}

static int return_address_of(struct tm_rule *rule, const struct place *place)
{
	int64_t offset;

	if (place->kind == PLACE_UNSAID) { /* the ABI's default */
		rule->ra = TM_SAVED_CFA;
		rule->ra_offset = X86_64_CALL_RA;
		return 1;
	}
	rule->ra = (uint8_t)saved(place, &offset);
	rule->ra_offset = (int16_t)offset;
	return rule->ra != TM_SAVED_NOWHERE && rule->ra != TM_SAVED_SAME &&
	       fits(offset, INT16_MIN, INT16_MAX);
}

static void frame_pointer_of(struct tm_rule *rule, const struct place *place)
{
	int64_t offset;

	rule->fp = (uint8_t)saved(place, &offset);
	rule->fp_offset = (int32_t)offset;
	if (!fits(offset, INT32_MIN, INT32_MAX)) {
		rule->fp = TM_SAVED_NOWHERE;
		rule->fp_offset = 0;
	}
}

/* Where rbx was saved, if that is where a rule can say. */
static void kept_of(struct tm_rule *rule, const struct place *place)
{
	int64_t words = -place->offset / X86_64_WORD;

	if (place->kind != PLACE_AT || place->offset % X86_64_WORD || !fits(words, 1, UINT8_MAX) ||
	    (rule->cfa != TM_CFA_SP && rule->cfa != TM_CFA_FP))
		return;
	rule->flags |= TM_RULE_KEPT;
	rule->cfa_add = (uint8_t)words;
}

/* The caller's stack pointer is the CFA, unless it is said to be elsewhere than the CFA is read from. */
static int stack_pointer_is_cfa(const struct tm_rule *rule, const struct place *place)
{
	int64_t offset;

	switch (place->kind) {
	case PLACE_UNSAID:
		return 1;
	case PLACE_IS:
		return place->offset == 0;
	case PLACE_AT_EXPRESSION:
		return saved_at(place, &offset) == TM_SAVED_SP && rule->cfa == TM_CFA_DEREF_SP &&
		       offset == rule->cfa_offset && rule->cfa_add == 0;
	default:
		return 0;
	}
}

/* Below the stack pointer lies nothing that a caller left: a thread's first function. */
static int is_outermost(const struct tm_rule *rule)
{
	return rule->cfa == TM_CFA_SP && rule->ra == TM_SAVED_CFA &&
	       (int64_t)rule->cfa_offset + rule->ra_offset < 0;
}

struct tm_rule rule_of_state(const struct program_state *state, int signal)
{
	struct tm_rule rule = {.flags = signal ? TM_RULE_SIGNAL : 0};

	if (state->ra.kind == PLACE_UNDEFINED)
		return (struct tm_rule){.cfa = TM_CFA_END};
	if (!cfa_of(&rule, &state->cfa) || !return_address_of(&rule, &state->ra))
		return (struct tm_rule){.cfa = TM_CFA_NONE};
	if (is_outermost(&rule))
		return (struct tm_rule){.cfa = TM_CFA_END};
	frame_pointer_of(&rule, &state->fp);
	kept_of(&rule, &state->bx);
	if (!stack_pointer_is_cfa(&rule, &state->sp))
		rule.flags |= TM_RULE_SP_LOST;
	return rule;
}
