/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * program - runs the call frame instructions of one function
 *
 * Follows the CFA and where the caller's return address, frame pointer, stack pointer and rbx are; what
 * is said of other registers is passed over.
 *
 * Limits     PROGRAM_DEPTH states remembered. Each step takes at least one byte of the function's
 *            instructions; those of a CIE are run once.
 * Source     DWARF 5, 6.4.2 and 6.4.3; GNU's and MIPS' additions as binutils writes them.
 */

#include "symbolizer/parser/cfi/fde_list.h"

#define PROGRAM_DEPTH 64u

enum place_kind {
	PLACE_UNSAID = 0,
	PLACE_UNDEFINED,
	PLACE_SAME,
	PLACE_AT,            /* at cfa + offset */
	PLACE_IS,            /* is cfa + offset; of the CFA itself: register + offset */
	PLACE_REGISTER,      /* in a register */
	PLACE_AT_EXPRESSION, /* at what an expression gives, which begins with the CFA on its stack */
	PLACE_IS_EXPRESSION, /* is what it gives; that of the CFA begins with nothing */
};

struct place {
	uint16_t kind;   /* enum place_kind */
	uint16_t number; /* of a register */
	uint32_t bytes;  /* of code */
	union {
		int64_t offset;
		const uint8_t *code;
	};
};

struct program_state {
	struct place cfa; /* UNSAID, IS or IS_EXPRESSION */
	struct place
		cfa_base; /* the last that was IS: register and offset are changed one by one */
	struct place ra;
	struct place fp;
	struct place bx;
	struct place sp;
};

/* From @at, a distance from the function's start, on: this state; NULL: nobody knows.
 * Return: 0, or an enum parser_status, which ends the run. */
typedef int (*program_row_fn)(void *context, uint64_t at, const struct program_state *state);

struct program {
	const struct fde_list *frames;  /* borrowed */
	const struct section *eh_frame; /* borrowed; for addresses relative to their place */
	const struct section *debug_frame;
	struct program_state *initial; /* owned; of each CIE */
	uint8_t *ran;                  /* owned; of each CIE: 0 not yet, 1 run, 2 not understood */
	struct program_state stack[PROGRAM_DEPTH]; /* remembered by the function that runs */
	program_row_fn row;
	void *context;
};

/* Return: 0, PARSER_FAILED (memory). */
int program_open(struct program *program, const struct fde_list *frames);
/* Rows of the first @limit bytes of the function. @ret_refused: whether something in it was not
 * understood; what follows that has no state. Return: 0, or what a row returned. */
int program_run(struct program *program, const struct span *span, uint64_t limit, int *ret_refused);
void program_close(struct program *program);
