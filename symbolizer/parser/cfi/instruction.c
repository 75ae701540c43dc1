/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instruction - executes one call frame instruction
 */

#include "symbolizer/parser/cfi/instruction.h"

#include "symbolizer/parser/cfi/pointer.h"
#include "symbolizer/parser/x86_64.h"

static struct register_rule *rule_of(struct execution *execution, uint64_t number)
{
	if (number == execution->cie->return_register)
		return &execution->row.ra;
	if (number == X86_64_FP)
		return &execution->row.fp;
	if (number == X86_64_BX)
		return &execution->row.bx;
	return number == X86_64_SP ? &execution->row.sp : NULL;
}

static int put(struct execution *execution, uint64_t number, struct register_rule rule)
{
	struct register_rule *to = rule_of(execution, number);

	if (to) {
		*to = rule;
		execution->is_changed = true;
	}
	return 0;
}

static int put_offset(struct execution *execution, uint64_t number, enum register_rule_kind kind,
		      int64_t factored)
{
	int64_t offset;

	if (__builtin_mul_overflow(factored, execution->cie->data_align, &offset))
		return INSTRUCTION_E_INVALID;
	return put(execution, number,
		   (struct register_rule){.kind = (uint16_t)kind, .offset = offset});
}

static int put_kind(struct execution *execution, uint64_t number, enum register_rule_kind kind)
{
	return put(execution, number, (struct register_rule){.kind = (uint16_t)kind});
}

static int restore(struct execution *execution, uint64_t number)
{
	struct register_rule *to = rule_of(execution, number);
	uint64_t at;

	if (!to || !execution->initial)
		return to ? INSTRUCTION_E_INVALID : 0;
	at = (uint64_t)((uint8_t *)to - (uint8_t *)&execution->row);
	memcpy(to, (const uint8_t *)execution->initial + at, sizeof(*to));
	execution->is_changed = true;
	return 0;
}

static int advance(struct execution *execution, uint64_t factored)
{
	uint64_t distance;
	int r = 0;

	if (!execution->initial)
		return INSTRUCTION_E_INVALID; /* the instructions of a CIE have no location */
	if (__builtin_mul_overflow(factored, execution->cie->code_align, &distance) ||
	    distance > execution->limit - execution->at)
		distance = execution->limit - execution->at;
	if (distance && execution->is_changed)
		r = execution->take_row(execution->context, execution->at, &execution->row);
	if (distance)
		execution->is_changed = false;
	execution->at += distance;
	return r;
}

static int set_location(struct execution *execution, struct cursor *code)
{
	const struct frame_sections *frames = execution->frames;
	const struct section *section;
	uint64_t target, distance;

	if (!execution->initial || !execution->cie->code_align)
		return INSTRUCTION_E_INVALID;
	section = execution->fde->source == CODE_RANGE_EH_FRAME ? &frames->eh_frame
								: &frames->debug_frame;
	if (pointer_read(code, execution->cie->encoding,
			 section->vaddr + (uint64_t)(code->at - section->bytes), &target) ||
	    target < execution->fde->vaddr + execution->at)
		return INSTRUCTION_E_INVALID;
	distance = target - execution->fde->vaddr - execution->at;
	if (distance > execution->limit - execution->at)
		distance = execution->limit - execution->at;
	return advance(execution, distance / execution->cie->code_align);
}

static int set_cfa(struct execution *execution, uint64_t number, int64_t offset)
{
	if (number > UINT16_MAX)
		return INSTRUCTION_E_INVALID;
	execution->row.cfa = (struct register_rule){
		.kind = REGISTER_RULE_VAL_OFFSET, .number = (uint16_t)number, .offset = offset};
	execution->row.cfa_base = execution->row.cfa;
	execution->is_changed = true;
	return 0;
}

static int set_cfa_factored(struct execution *execution, uint64_t number, int64_t factored)
{
	int64_t offset;

	if (__builtin_mul_overflow(factored, execution->cie->data_align, &offset))
		return INSTRUCTION_E_INVALID;
	return set_cfa(execution, number, offset);
}

static int put_expression(struct execution *execution, struct register_rule *to,
			  enum register_rule_kind kind, struct cursor *code)
{
	uint64_t bytes = cursor_unsigned(code);

	if (code->is_past_end || bytes > cursor_left(code))
		return INSTRUCTION_E_INVALID;
	if (to) {
		*to = (struct register_rule){
			.kind = (uint16_t)kind, .bytes = (uint32_t)bytes, .expression = code->at};
		execution->is_changed = true;
	}
	cursor_skip(code, bytes);
	return 0;
}

static int remember(struct execution *execution)
{
	if (execution->depth == ROW_STACK_MAX)
		return INSTRUCTION_E_INVALID;
	execution->stack[execution->depth++] = execution->row;
	return 0;
}

static int recall(struct execution *execution)
{
	if (!execution->depth)
		return INSTRUCTION_E_INVALID;
	execution->row = execution->stack[--execution->depth];
	execution->is_changed = true;
	return 0;
}

/* Instructions that set the rule of the CFA. */
static int cfa_instruction(struct execution *execution, uint8_t operation, struct cursor *code)
{
	const struct register_rule *cfa = &execution->row.cfa_base;
	uint64_t number;

	switch (operation) {
	case 0x0c: /* def_cfa */
		number = cursor_unsigned(code);
		return set_cfa(execution, number, (int64_t)cursor_unsigned(code));
	case 0x12: /* def_cfa_sf */
		number = cursor_unsigned(code);
		return set_cfa_factored(execution, number, cursor_signed(code));
	case 0x0f: /* def_cfa_expression */
		return put_expression(execution, &execution->row.cfa, REGISTER_RULE_VAL_EXPRESSION,
				      code);
	default:
		break;
	}
	/* The others change the register or the offset, so there must have been both. They may also
	 * follow an expression: GNU's unwinder allows it, and authors of assembly rely on it. */
	if (cfa->kind != REGISTER_RULE_VAL_OFFSET)
		return INSTRUCTION_E_INVALID;
	switch (operation) {
	case 0x0d: /* def_cfa_register */
		return set_cfa(execution, cursor_unsigned(code), cfa->offset);
	case 0x0e: /* def_cfa_offset */
		return set_cfa(execution, cfa->number, (int64_t)cursor_unsigned(code));
	default: /* 0x13 def_cfa_offset_sf */
		return set_cfa_factored(execution, cfa->number, cursor_signed(code));
	}
}

/* Instructions that set the rule of a register. */
static int register_instruction(struct execution *execution, uint8_t operation, struct cursor *code)
{
	uint64_t number = cursor_unsigned(code), other;

	switch (operation) {
	case 0x05: /* offset_extended */
		return put_offset(execution, number, REGISTER_RULE_OFFSET,
				  (int64_t)cursor_unsigned(code));
	case 0x06: /* restore_extended */
		return restore(execution, number);
	case 0x07: /* undefined */
		return put_kind(execution, number, REGISTER_RULE_UNDEFINED);
	case 0x08: /* same_value */
		return put_kind(execution, number, REGISTER_RULE_SAME_VALUE);
	case 0x09: /* register */
		other = cursor_unsigned(code);
		if (other > UINT16_MAX)
			return INSTRUCTION_E_INVALID;
		return put(execution, number,
			   (struct register_rule){.kind = REGISTER_RULE_REGISTER,
						  .number = (uint16_t)other});
	case 0x10: /* expression */
		return put_expression(execution, rule_of(execution, number),
				      REGISTER_RULE_EXPRESSION, code);
	case 0x11: /* offset_extended_sf */
		return put_offset(execution, number, REGISTER_RULE_OFFSET, cursor_signed(code));
	case 0x14: /* val_offset */
		return put_offset(execution, number, REGISTER_RULE_VAL_OFFSET,
				  (int64_t)cursor_unsigned(code));
	case 0x15: /* val_offset_sf */
		return put_offset(execution, number, REGISTER_RULE_VAL_OFFSET, cursor_signed(code));
	case 0x16: /* val_expression */
		return put_expression(execution, rule_of(execution, number),
				      REGISTER_RULE_VAL_EXPRESSION, code);
	default: /* 0x2f GNU_negative_offset_extended */
		return put_offset(execution, number, REGISTER_RULE_OFFSET,
				  -(int64_t)(cursor_unsigned(code) & INT64_MAX));
	}
}

static int other_instruction(struct execution *execution, uint8_t operation, struct cursor *code)
{
	switch (operation) {
	case 0x00: /* nop */
	case 0x2d: /* GNU_window_save, AARCH64_negate_ra_state: for other machines */
		return 0;
	case 0x01: /* set_loc */
		return set_location(execution, code);
	case 0x02: /* advance_loc1 */
		return advance(execution, cursor_number(code, 1));
	case 0x03: /* advance_loc2 */
		return advance(execution, cursor_number(code, 2));
	case 0x04: /* advance_loc4 */
		return advance(execution, cursor_number(code, 4));
	case 0x1d: /* MIPS_advance_loc8 */
		return advance(execution, cursor_number(code, 8));
	case 0x0a: /* remember_state */
		return remember(execution);
	case 0x0b: /* restore_state */
		return recall(execution);
	case 0x2e: /* GNU_args_size: only for exceptions */
		(void)cursor_unsigned(code);
		return 0;
	default:
		return INSTRUCTION_E_INVALID;
	}
}

int instruction_execute(struct execution *execution, struct cursor *code)
{
	uint8_t byte = cursor_byte(code), low = byte & 0x3f;

	switch (byte & 0xc0) {
	case 0x40: /* advance_loc */
		return advance(execution, low);
	case 0x80: /* offset */
		return put_offset(execution, low, REGISTER_RULE_OFFSET,
				  (int64_t)cursor_unsigned(code));
	case 0xc0: /* restore */
		return restore(execution, low);
	default:
		break;
	}
	if ((low >= 0x0c && low <= 0x0f) || low == 0x12 || low == 0x13)
		return cfa_instruction(execution, low, code);
	if ((low >= 0x05 && low <= 0x09) || low == 0x10 || low == 0x11 ||
	    (low >= 0x14 && low <= 0x16) || low == 0x2f)
		return register_instruction(execution, low, code);
	return other_instruction(execution, low, code);
}
