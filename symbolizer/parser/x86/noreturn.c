/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noreturn - finds which calls of a function provably return
 */

#include "symbolizer/parser/x86/noreturn.h"

#include <stdlib.h>

#include "symbolizer/parser/grow.h"
#include "symbolizer/parser/parser.h"

void noreturn_mark_exit(struct code_cell *cells, uint32_t call)
{
	if (call)
		cells[call - 1].call_returns = true;
}

int noreturn_add_edge(struct noreturn *noreturn, struct code_cell *cells, uint32_t from,
		      uint32_t to)
{
	void *edges;

	if (!from || from == to)
		return 0;
	if (!to) {
		noreturn_mark_exit(cells, from);
		return 0;
	}
	edges = grow(noreturn->edges, noreturn->count, &noreturn->capacity,
		     sizeof(*noreturn->edges));
	if (!edges)
		return PARSER_FAILED;
	noreturn->edges = edges;
	noreturn->edges[noreturn->count++] = (struct noreturn_edge){from, to};
	return 0;
}

/* Return: whether the edge has marked one call more. */
static bool propagate_edge(const struct noreturn_edge *edge, struct code_cell *cells)
{
	struct code_cell *from = &cells[edge->from - 1];

	if (from->call_returns || !cells[edge->to - 1].call_returns)
		return false;
	from->call_returns = true;
	return true;
}

void noreturn_propagate(struct noreturn *noreturn, struct code_cell *cells)
{
	bool any = true;

	/* Some edges were met in the order of the paths, some against it; so go both ways. */
	for (uint32_t round = 0; any && round < NORETURN_ROUNDS; round++) {
		any = false;
		for (uint32_t i = noreturn->count; i-- > 0;)
			any |= propagate_edge(&noreturn->edges[i], cells);
		for (uint32_t i = 0; i < noreturn->count; i++)
			any |= propagate_edge(&noreturn->edges[i], cells);
	}
}

void noreturn_close(struct noreturn *noreturn)
{
	free(noreturn->edges);
	*noreturn = (struct noreturn){0};
}
