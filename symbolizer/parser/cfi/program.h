/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * program - runs the call frame instructions of one FDE
 *
 * Each row that they give has a rule for the CFA and for the caller's return address, frame
 * pointer, stack pointer and rbx; rules for other registers are ignored.
 *
 * Limits     PROGRAM_DEPTH remembered rows. Each instruction takes at least one byte of the FDE;
 *            those of a CIE are run once.
 * Source     DWARF 5, 6.4.2 and 6.4.3; the additions of GNU and MIPS as binutils writes them.
 */

#include "symbolizer/parser/cfi/frame_sections.h"

#define PROGRAM_DEPTH 64u

enum register_rule_kind { /* DWARF 5, 6.4.1 */
	REGISTER_RULE_UNSPECIFIED = 0,
	REGISTER_RULE_UNDEFINED,
	REGISTER_RULE_SAME_VALUE,
	REGISTER_RULE_OFFSET,     /* at cfa + offset */
	REGISTER_RULE_VAL_OFFSET, /* is cfa + offset; of the CFA itself: register + offset */
	REGISTER_RULE_REGISTER,   /* in another register */
	REGISTER_RULE_EXPRESSION, /* at the address to which an expression of the CFA evaluates */
	REGISTER_RULE_VAL_EXPRESSION, /* is its value; that of the CFA starts with an empty stack */
};

struct register_rule {
	uint16_t kind;   /* enum register_rule_kind */
	uint16_t number; /* of a register */
	uint32_t bytes;  /* of `expression` */
	union {
		int64_t offset;
		const uint8_t *expression;
	};
};

struct program_row {
	struct register_rule cfa; /* UNSPECIFIED, VAL_OFFSET or VAL_EXPRESSION */
	/* The last CFA rule that was VAL_OFFSET: its register and offset can be changed one by
	 * one. */
	struct register_rule cfa_base;
	struct register_rule ra;
	struct register_rule fp;
	struct register_rule bx;
	struct register_rule sp;
};

/* Takes a row that holds from @at on, a distance from the function's start; NULL: nothing is known.
 * Return: 0, or an enum parser_status, which ends the run. */
typedef int (*program_row_fn)(void *context, uint64_t at, const struct program_row *row);

enum program_cie { /* the initial instructions of a CIE */
	PROGRAM_CIE_NOT_RUN = 0,
	PROGRAM_CIE_RUN,
	PROGRAM_CIE_INVALID,
};

struct program {
	const struct frame_sections *frames;     /* borrowed */
	struct program_row *initial_rows;        /* owned; of each CIE */
	uint8_t *cie_states;                     /* owned; of each CIE: enum program_cie */
	struct program_row stack[PROGRAM_DEPTH]; /* remembered rows of the FDE that runs */
	program_row_fn take_row;
	void *context;
};

/* Return: 0, PARSER_FAILED (memory). */
int program_open(struct program *program, const struct frame_sections *frames,
		 program_row_fn take_row, void *context);
/* Passes on the rows of the first @limit bytes of @fde. @ret_refused: an instruction was not
 * understood, so nothing is known from its place on. Return: 0, or what take_row() returned. */
int program_run(struct program *program, const struct code_range *fde, uint64_t limit,
		bool *ret_refused);
void program_close(struct program *program);
