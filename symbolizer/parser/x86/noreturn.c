/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noreturn - which calls of a function return, for all that can be known
 */

#include "symbolizer/parser/x86/noreturn.h"

#include <stdlib.h>

#include "symbolizer/parser/parser.h"

#define FIRST_ROOM 64u

void noreturn_exit(struct noreturn *proof, struct disassembly_cell *cells, uint32_t origin)
{
	if (origin)
		cells[origin - 1].is_proved = 1;
}

int noreturn_edge(struct noreturn *proof, struct disassembly_cell *cells, uint32_t from,
		  uint32_t to)
{
	uint32_t room = proof->room ? 2 * proof->room : FIRST_ROOM;
	void *grown;

	if (!from || from == to)
		return 0;
	if (!to) {
		noreturn_exit(proof, cells, from);
		return 0;
	}
	if (proof->count == proof->room) {
		grown = reallocarray(proof->edges, room, sizeof(*proof->edges));
		if (!grown)
			return PARSER_FAILED;
		proof->edges = grown;
		proof->room = room;
	}
	proof->edges[proof->count++] = (struct noreturn_edge){from, to};
	return 0;
}

static int settle_one(const struct noreturn_edge *edge, struct disassembly_cell *cells)
{
	struct disassembly_cell *from = &cells[edge->from - 1];

	if (from->is_proved || !cells[edge->to - 1].is_proved)
		return 0;
	from->is_proved = 1;
	return 1;
}

void noreturn_settle(struct noreturn *proof, struct disassembly_cell *cells)
{
	int any = 1;

	/* What leads on has been met in order, what leads out against it: so both ways. */
	for (uint32_t round = 0; any && round < NORETURN_ROUNDS; round++) {
		any = 0;
		for (uint32_t i = proof->count; i-- > 0;)
			any |= settle_one(&proof->edges[i], cells);
		for (uint32_t i = 0; i < proof->count; i++)
			any |= settle_one(&proof->edges[i], cells);
	}
}

void noreturn_close(struct noreturn *proof)
{
	free(proof->edges);
	*proof = (struct noreturn){0};
}
