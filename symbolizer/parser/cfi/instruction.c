/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instruction - one call frame instruction on the state of a function
 */

#include "symbolizer/parser/cfi/instruction.h"

#include "symbolizer/parser/cfi/pointer.h"
#include "symbolizer/parser/x86/x86_64.h"

static struct place *place_of(struct run *run, uint64_t number)
{
	if (number == run->cie->return_register)
		return &run->state.ra;
	if (number == X86_64_FP)
		return &run->state.fp;
	if (number == X86_64_BX)
		return &run->state.bx;
	return number == X86_64_SP ? &run->state.sp : NULL;
}

static int put(struct run *run, uint64_t number, struct place place)
{
	struct place *to = place_of(run, number);

	if (to) {
		*to = place;
		run->changed = 1;
	}
	return 0;
}

static int put_offset(struct run *run, uint64_t number, enum place_kind kind, int64_t factored)
{
	int64_t offset;

	if (__builtin_mul_overflow(factored, run->cie->data_align, &offset))
		return INSTRUCTION_REFUSED;
	return put(run, number, (struct place){.kind = (uint16_t)kind, .offset = offset});
}

static int put_kind(struct run *run, uint64_t number, enum place_kind kind)
{
	return put(run, number, (struct place){.kind = (uint16_t)kind});
}

static int restore(struct run *run, uint64_t number)
{
	struct place *to = place_of(run, number);
	uint64_t at;

	if (!to || !run->initial)
		return to ? INSTRUCTION_REFUSED : 0;
	at = (uint64_t)((uint8_t *)to - (uint8_t *)&run->state);
	memcpy(to, (const uint8_t *)run->initial + at, sizeof(*to));
	run->changed = 1;
	return 0;
}

static int advance(struct run *run, uint64_t factored)
{
	uint64_t distance;
	int r = 0;

	if (!run->initial)
		return INSTRUCTION_REFUSED; /* a CIE has no places */
	if (__builtin_mul_overflow(factored, run->cie->code_align, &distance) ||
	    distance > run->limit - run->at)
		distance = run->limit - run->at;
	if (distance && run->changed)
		r = run->program->row(run->program->context, run->at, &run->state);
	if (distance)
		run->changed = 0;
	run->at += distance;
	return r;
}

static int set_location(struct run *run, struct cursor *code)
{
	const struct program *program = run->program;
	const struct section *section;
	uint64_t target, distance;

	if (!run->initial || !run->cie->code_align)
		return INSTRUCTION_REFUSED;
	section = run->span->source == SPAN_EH_FRAME ? program->eh_frame : program->debug_frame;
	if (pointer_read(code, run->cie->encoding,
			 section->vaddr + (uint64_t)(code->at - section->bytes), &target) ||
	    target < run->span->vaddr + run->at)
		return INSTRUCTION_REFUSED;
	distance = target - run->span->vaddr - run->at;
	if (distance > run->limit - run->at)
		distance = run->limit - run->at;
	return advance(run, distance / run->cie->code_align);
}

static int set_cfa(struct run *run, uint64_t number, int64_t offset)
{
	if (number > UINT16_MAX)
		return INSTRUCTION_REFUSED;
	run->state.cfa =
		(struct place){.kind = PLACE_IS, .number = (uint16_t)number, .offset = offset};
	run->state.cfa_base = run->state.cfa;
	run->changed = 1;
	return 0;
}

static int set_cfa_factored(struct run *run, uint64_t number, int64_t factored)
{
	int64_t offset;

	if (__builtin_mul_overflow(factored, run->cie->data_align, &offset))
		return INSTRUCTION_REFUSED;
	return set_cfa(run, number, offset);
}

static int put_expression(struct run *run, struct place *to, enum place_kind kind,
			  struct cursor *code)
{
	uint64_t bytes = cursor_unsigned(code);

	if (code->bad || bytes > cursor_left(code))
		return INSTRUCTION_REFUSED;
	if (to) {
		*to = (struct place){
			.kind = (uint16_t)kind, .bytes = (uint32_t)bytes, .code = code->at};
		run->changed = 1;
	}
	cursor_skip(code, bytes);
	return 0;
}

static int remember(struct run *run)
{
	if (run->depth == PROGRAM_DEPTH)
		return INSTRUCTION_REFUSED;
	run->program->stack[run->depth++] = run->state;
	return 0;
}

static int recall(struct run *run)
{
	if (!run->depth)
		return INSTRUCTION_REFUSED;
	run->state = run->program->stack[--run->depth];
	run->changed = 1;
	return 0;
}

/* The CFA's own instructions. */
static int instruction_cfa(struct run *run, uint8_t operation, struct cursor *code)
{
	const struct place *cfa = &run->state.cfa_base;
	uint64_t number;

	switch (operation) {
	case 0x0c: /* def_cfa */
		number = cursor_unsigned(code);
		return set_cfa(run, number, (int64_t)cursor_unsigned(code));
	case 0x12: /* def_cfa_sf */
		number = cursor_unsigned(code);
		return set_cfa_factored(run, number, cursor_signed(code));
	case 0x0f: /* def_cfa_expression */
		return put_expression(run, &run->state.cfa, PLACE_IS_EXPRESSION, code);
	default:
		break;
	}
	/* The others change one part of a register rule, so there must have been one; after an
	 * expression, too, as GNU's unwinder has it and assemblers' authors rely on. */
	if (cfa->kind != PLACE_IS)
		return INSTRUCTION_REFUSED;
	switch (operation) {
	case 0x0d: /* def_cfa_register */
		return set_cfa(run, cursor_unsigned(code), cfa->offset);
	case 0x0e: /* def_cfa_offset */
		return set_cfa(run, cfa->number, (int64_t)cursor_unsigned(code));
	default: /* 0x13 def_cfa_offset_sf */
		return set_cfa_factored(run, cfa->number, cursor_signed(code));
	}
}

/* Those that say where one register is. */
static int instruction_register(struct run *run, uint8_t operation, struct cursor *code)
{
	uint64_t number = cursor_unsigned(code), other;

	switch (operation) {
	case 0x05: /* offset_extended */
		return put_offset(run, number, PLACE_AT, (int64_t)cursor_unsigned(code));
	case 0x06: /* restore_extended */
		return restore(run, number);
	case 0x07: /* undefined */
		return put_kind(run, number, PLACE_UNDEFINED);
	case 0x08: /* same_value */
		return put_kind(run, number, PLACE_SAME);
	case 0x09: /* register */
		other = cursor_unsigned(code);
		if (other > UINT16_MAX)
			return INSTRUCTION_REFUSED;
		return put(run, number,
			   (struct place){.kind = PLACE_REGISTER, .number = (uint16_t)other});
	case 0x10: /* expression */
		return put_expression(run, place_of(run, number), PLACE_AT_EXPRESSION, code);
	case 0x11: /* offset_extended_sf */
		return put_offset(run, number, PLACE_AT, cursor_signed(code));
	case 0x14: /* val_offset */
		return put_offset(run, number, PLACE_IS, (int64_t)cursor_unsigned(code));
	case 0x15: /* val_offset_sf */
		return put_offset(run, number, PLACE_IS, cursor_signed(code));
	case 0x16: /* val_expression */
		return put_expression(run, place_of(run, number), PLACE_IS_EXPRESSION, code);
	default: /* 0x2f GNU_negative_offset_extended */
		return put_offset(run, number, PLACE_AT,
				  -(int64_t)(cursor_unsigned(code) & INT64_MAX));
	}
}

static int instruction_other(struct run *run, uint8_t operation, struct cursor *code)
{
	switch (operation) {
	case 0x00: /* nop */
	case 0x2d: /* GNU_window_save, AARCH64_negate_ra_state: of other machines */
		return 0;
	case 0x01: /* set_loc */
		return set_location(run, code);
	case 0x02: /* advance_loc1 */
		return advance(run, cursor_number(code, 1));
	case 0x03: /* advance_loc2 */
		return advance(run, cursor_number(code, 2));
	case 0x04: /* advance_loc4 */
		return advance(run, cursor_number(code, 4));
	case 0x1d: /* MIPS_advance_loc8 */
		return advance(run, cursor_number(code, 8));
	case 0x0a: /* remember_state */
		return remember(run);
	case 0x0b: /* restore_state */
		return recall(run);
	case 0x2e: /* GNU_args_size: of no use without exceptions */
		(void)cursor_unsigned(code);
		return 0;
	default:
		return INSTRUCTION_REFUSED;
	}
}

int instruction_apply(struct run *run, struct cursor *code)
{
	uint8_t byte = cursor_byte(code), low = byte & 0x3f;

	switch (byte & 0xc0) {
	case 0x40: /* advance_loc */
		return advance(run, low);
	case 0x80: /* offset */
		return put_offset(run, low, PLACE_AT, (int64_t)cursor_unsigned(code));
	case 0xc0: /* restore */
		return restore(run, low);
	default:
		break;
	}
	if ((low >= 0x0c && low <= 0x0f) || low == 0x12 || low == 0x13)
		return instruction_cfa(run, low, code);
	if ((low >= 0x05 && low <= 0x09) || low == 0x10 || low == 0x11 ||
	    (low >= 0x14 && low <= 0x16) || low == 0x2f)
		return instruction_register(run, low, code);
	return instruction_other(run, low, code);
}
