/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * instruction - executes one call frame instruction
 */

#include "symbolizer/parser/cfi/frame_sections.h"
#include "symbolizer/parser/cfi/row.h"
#include "symbolizer/parser/cursor.h"
#include "symbolizer/parser/parser.h"

#define INSTRUCTION_E_INVALID PARSER_STATUS_N /* an instruction that makes no sense */

/* The execution of a CIE's or an FDE's instructions. */
struct execution {
	const struct frame_sections *frames;
	row_fn take_row;
	void *context;     /* of take_row() */
	struct row *stack; /* ROW_STACK_MAX remembered rows */
	const struct cie *cie;
	const struct code_range *fde; /* the function; its rows are distances in it */
	const struct row *initial;    /* what `restore` restores; NULL: the CIE itself runs */
	struct row row;
	uint32_t depth;     /* of remembered rows */
	uint64_t at, limit; /* distances from the function's start */
	bool is_changed;    /* the row, since it was last passed on */
};

/* Return: 0, INSTRUCTION_E_INVALID, or what take_row() returned. */
int instruction_execute(struct execution *execution, struct cursor *code);
