/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program - runs the call frame instructions of one function
 */

#include "symbolizer/parser/program.h"

#include <stdlib.h>

#include "symbolizer/parser/cursor.h"
#include "symbolizer/parser/machine.h"
#include "symbolizer/parser/parser.h"
#include "symbolizer/parser/pointer.h"

#define REFUSED (-1) /* an instruction that makes no sense; inside this file only */

struct run {
	struct program *program;
	const struct cie *cie;
	const struct span *span;
	const struct program_state *initial; /* what `restore` goes back to */
	struct program_state state;
	uint32_t depth;
	uint64_t at, limit; /* distances from the function's start */
	int changed;        /* since the last row */
};

static struct place *place_of(struct run *run, uint64_t number)
{
	if (number == run->cie->return_register)
		return &run->state.ra;
	if (number == MACHINE_FP)
		return &run->state.fp;
	return number == MACHINE_SP ? &run->state.sp : NULL;
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
		return REFUSED;
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
		return to ? REFUSED : 0;
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
		return REFUSED; /* a CIE has no places */
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
	const struct section *section = run->span && run->span->source == SPAN_EH_FRAME
						? program->eh_frame
						: program->debug_frame;
	uint64_t target, distance;

	if (!run->initial || !run->cie->code_align ||
	    pointer_read(code, run->cie->encoding,
			 section->vaddr + (uint64_t)(code->at - section->bytes), &target) ||
	    target < run->span->vaddr + run->at)
		return REFUSED;
	distance = target - run->span->vaddr - run->at;
	if (distance > run->limit - run->at)
		distance = run->limit - run->at;
	return advance(run, distance / run->cie->code_align);
}

static int set_cfa(struct run *run, uint64_t number, int64_t offset)
{
	if (number > UINT16_MAX)
		return REFUSED;
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
		return REFUSED;
	return set_cfa(run, number, offset);
}

static int put_expression(struct run *run, struct place *to, enum place_kind kind,
			  struct cursor *code)
{
	uint64_t bytes = cursor_unsigned(code);

	if (code->bad || bytes > cursor_left(code))
		return REFUSED;
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
		return REFUSED;
	run->program->stack[run->depth++] = run->state;
	return 0;
}

static int recall(struct run *run)
{
	if (!run->depth)
		return REFUSED;
	run->state = run->program->stack[--run->depth];
	run->changed = 1;
	return 0;
}

/* The CFA's own instructions. */
static int step_cfa(struct run *run, uint8_t operation, struct cursor *code)
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
		return REFUSED;
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
static int step_register(struct run *run, uint8_t operation, struct cursor *code)
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
			return REFUSED;
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

static int step_other(struct run *run, uint8_t operation, struct cursor *code)
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
		return REFUSED;
	}
}

static int step(struct run *run, struct cursor *code)
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
		return step_cfa(run, low, code);
	if ((low >= 0x05 && low <= 0x09) || low == 0x10 || low == 0x11 ||
	    (low >= 0x14 && low <= 0x16) || low == 0x2f)
		return step_register(run, low, code);
	return step_other(run, low, code);
}

/* Return: 0, REFUSED, or what a row returned. */
static int run_code(struct run *run, const uint8_t *bytes, uint32_t count)
{
	struct cursor code = cursor_of(bytes, count);
	int r = 0;

	while (!r && cursor_left(&code) && (!run->initial || run->at < run->limit)) {
		r = step(run, &code);
		if (!r && code.bad)
			r = REFUSED;
	}
	return r;
}

int program_open(struct program *program, const struct frames *frames)
{
	*program = (struct program){.frames = frames};
	program->initial = calloc(frames->cie_count + 1ull, sizeof(*program->initial));
	program->ran = calloc(frames->cie_count + 1ull, 1);
	return program->initial && program->ran ? 0 : PARSER_FAILED;
}

/* What holds before a function's own instructions; NULL: not understood. */
static const struct program_state *initial_of(struct run *run, uint32_t cie)
{
	struct program *program = run->program;

	if (!program->ran[cie]) {
		program->ran[cie] = run_code(run, run->cie->code, run->cie->code_bytes) ? 2 : 1;
		program->initial[cie] = run->state;
	}
	return program->ran[cie] == 1 ? &program->initial[cie] : NULL;
}

int program_run(struct program *program, const struct span *span, uint64_t limit, int *ret_refused)
{
	struct run run;
	int r;

	run.program = program;
	run.cie = &program->frames->cies[span->cie];
	run.span = span;
	run.initial = NULL;
	run.state = (struct program_state){0};
	run.depth = 0;
	run.at = 0;
	run.limit = limit;
	*ret_refused = 1;
	run.initial = initial_of(&run, span->cie);
	if (!run.initial)
		return program->row(program->context, 0, NULL);
	run.state = *run.initial;
	run.depth = 0;
	run.changed = 1;
	r = run_code(&run, span->code, span->code_bytes);
	if (r == REFUSED)
		return program->row(program->context, run.at, NULL);
	if (r > 0)
		return r;
	*ret_refused = 0;
	return run.at < limit && run.changed ? program->row(program->context, run.at, &run.state)
					     : 0;
}

void program_close(struct program *program)
{
	free(program->initial);
	free(program->ran);
	*program = (struct program){0};
}
