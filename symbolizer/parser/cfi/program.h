/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * program - runs the call frame instructions of one FDE
 *
 * Each row that they give has a rule for the CFA and for the caller's return address, frame
 * pointer, stack pointer and rbx; rules for other registers are ignored.
 *
 * Limits     ROW_STACK_MAX remembered rows. Each instruction takes at least one byte of the FDE;
 *            those of a CIE are run once.
 * Source     DWARF 5, 6.4.2 and 6.4.3; the additions of GNU and MIPS as binutils writes them.
 */

#include "symbolizer/parser/cfi/frame_sections.h"
#include "symbolizer/parser/cfi/row.h"

enum program_cie { /* the initial instructions of a CIE */
	PROGRAM_CIE_NOT_RUN = 0,
	PROGRAM_CIE_RUN,
	PROGRAM_CIE_INVALID,
};

struct program {
	const struct frame_sections *frames; /* borrowed */
	struct row *initial_rows;            /* owned; of each CIE */
	uint8_t *cie_states;                 /* owned; of each CIE: enum program_cie */
	struct row stack[ROW_STACK_MAX];     /* remembered rows of the FDE that runs */
	row_fn take_row;
	void *context;
};

/* Return: 0, PARSER_FAILED (memory). */
int program_open(struct program *program, const struct frame_sections *frames, row_fn take_row,
		 void *context);
/* Passes on the rows of the first @limit bytes of @fde. @ret_refused: an instruction was not
 * understood, so nothing is known from its place on. Return: 0, or what take_row() returned. */
int program_run(struct program *program, const struct code_range *fde, uint64_t limit,
		bool *ret_refused);
void program_close(struct program *program);
