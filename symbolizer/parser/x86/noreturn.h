/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * noreturn - which calls of a function return, for all that can be known
 *
 * One does if behind it, without a contradiction, stands a way out of the function: what follows a call
 * that ends the program is another function, whose heights would be wrong. A call is named by its cell
 * and one, 0 is the function's start, which needs no proof.
 */

#include "symbolizer/parser/x86/disassembly.h"

#define NORETURN_ROUNDS 16u /* over all; what is then without proof stays so */

struct noreturn_edge {
	uint32_t from, to;
};

struct noreturn {
	struct noreturn_edge *edges; /* owned */
	uint32_t count, room;
};

/* Behind @origin stands a way out. */
void noreturn_exit(struct noreturn *proof, struct disassembly_cell *cells, uint32_t origin);
/* What is behind @to is also behind @from. Return: 0, PARSER_FAILED (memory). */
int noreturn_edge(struct noreturn *proof, struct disassembly_cell *cells, uint32_t from,
		  uint32_t to);
void noreturn_settle(struct noreturn *proof, struct disassembly_cell *cells);
void noreturn_close(struct noreturn *proof);
