/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * instruction - one call frame instruction on the state of a function
 */

#include "symbolizer/parser/cfi/program.h"
#include "symbolizer/parser/cursor.h"

#define INSTRUCTION_REFUSED (-1) /* an instruction that makes no sense */

/* A run over the instructions of a CIE or of a function. */
struct run {
	struct program *program; /* where rows go and states are remembered */
	const struct cie *cie;
	const struct span *span;             /* the function; its rows are distances in it */
	const struct program_state *initial; /* what `restore` goes back to; NULL: a CIE runs */
	struct program_state state;
	uint32_t depth;     /* states remembered */
	uint64_t at, limit; /* distances from the function's start */
	int changed;        /* since the last row */
};

/* Takes the next instruction. Return: 0, INSTRUCTION_REFUSED, or what a row returned. */
int instruction_apply(struct run *run, struct cursor *code);
