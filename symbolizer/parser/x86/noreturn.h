/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * noreturn - finds which calls of a function provably return
 *
 * A call returns if a path from behind it leaves the function without a contradiction. This matters
 * because the bytes behind a call that never returns belong to another function, and the heights
 * carried over to them would be wrong. A call is named by its cell + 1; 0 is the function's start,
 * which needs no proof.
 */

#include "symbolizer/parser/x86/code_map.h"

#define NORETURN_ROUNDS 16u /* of propagation; a call not proved by then stays unproved */

struct noreturn_edge {
	uint32_t from, to;
};

struct noreturn {
	struct noreturn_edge *edges; /* owned */
	uint32_t count, capacity;
};

/* A path from behind @call leaves the function. */
void noreturn_mark_exit(struct code_cell *cells, uint32_t call);
/* A path from behind @from reaches what is behind @to. Return: 0, PARSER_FAILED (memory). */
int noreturn_add_edge(struct noreturn *noreturn, struct code_cell *cells, uint32_t from,
		      uint32_t to);
/* Carries the marks backwards along the edges. */
void noreturn_propagate(struct noreturn *noreturn, struct code_cell *cells);
void noreturn_close(struct noreturn *noreturn);
