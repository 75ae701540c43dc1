/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noreturn - which calls of a function return, for all that can be known
 */

#include "symbolizer/parser/x86/noreturn.h"

#include <stdlib.h>

#include "symbolizer/parser/parser.h"

#define FIRST_ROOM 64u

void proof_exit(struct proof *proof, struct heights_cell *cells, uint32_t origin)
{
	if (origin)
		cells[origin - 1].is_proved = 1;
}

int proof_edge(struct proof *proof, struct heights_cell *cells, uint32_t from, uint32_t to)
{
	uint32_t room = proof->room ? 2 * proof->room : FIRST_ROOM;
	void *grown;

	if (!from || from == to)
		return 0;
	if (!to) {
		proof_exit(proof, cells, from);
		return 0;
	}
	if (proof->count == proof->room) {
		grown = reallocarray(proof->edges, room, sizeof(*proof->edges));
		if (!grown)
			return PARSER_FAILED;
		proof->edges = grown;
		proof->room = room;
	}
	proof->edges[proof->count++] = (struct proof_edge){from, to};
	return 0;
}

static int settle_one(const struct proof_edge *edge, struct heights_cell *cells)
{
	struct heights_cell *from = &cells[edge->from - 1];

	if (from->is_proved || !cells[edge->to - 1].is_proved)
		return 0;
	from->is_proved = 1;
	return 1;
}

void proof_settle(struct proof *proof, struct heights_cell *cells)
{
	int any = 1;

	/* What leads on has been met in order, what leads out against it: so both ways. */
	for (uint32_t round = 0; any && round < PROOF_ROUNDS; round++) {
		any = 0;
		for (uint32_t i = proof->count; i-- > 0;)
			any |= settle_one(&proof->edges[i], cells);
		for (uint32_t i = 0; i < proof->count; i++)
			any |= settle_one(&proof->edges[i], cells);
	}
}

void proof_close(struct proof *proof)
{
	free(proof->edges);
	*proof = (struct proof){0};
}
