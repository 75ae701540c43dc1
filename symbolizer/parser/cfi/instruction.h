/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * instruction - executes one call frame instruction
 */

#include "symbolizer/parser/cfi/program.h"
#include "symbolizer/parser/cursor.h"
#include "symbolizer/parser/parser.h"

#define INSTRUCTION_E_INVALID PARSER_STATUS_N /* an instruction that makes no sense */

/* The execution of a CIE's or an FDE's instructions. */
struct execution {
	struct program *program; /* takes rows, and has the stack of remembered ones */
	const struct cie *cie;
	const struct code_range *fde;      /* the function; its rows are distances in it */
	const struct program_row *initial; /* what `restore` restores; NULL: the CIE itself runs */
	struct program_row row;
	uint32_t depth;     /* of remembered rows */
	uint64_t at, limit; /* distances from the function's start */
	bool is_changed;    /* the row, since it was last passed on */
};

/* Return: 0, INSTRUCTION_E_INVALID, or what take_row() returned. */
int instruction_execute(struct execution *execution, struct cursor *code);
