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

#define PROOF_ROUNDS 16u /* over all; what is then without proof stays so */

struct proof_edge {
	uint32_t from, to;
};

struct proof {
	struct proof_edge *edges; /* owned */
	uint32_t count, room;
};

/* Behind @origin stands a way out. */
void proof_exit(struct proof *proof, struct heights_cell *cells, uint32_t origin);
/* What is behind @to is also behind @from. Return: 0, PARSER_FAILED (memory). */
int proof_edge(struct proof *proof, struct heights_cell *cells, uint32_t from, uint32_t to);
void proof_settle(struct proof *proof, struct heights_cell *cells);
void proof_close(struct proof *proof);
