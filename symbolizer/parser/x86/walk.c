/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk - the state of a walk through one function: open paths and claimed instructions
 */

#include "symbolizer/parser/x86/walk.h"

#include <stdlib.h>

#include "symbolizer/parser/grow.h"
#include "symbolizer/parser/parser.h"

int walk_add_path(struct walk *walk, uint64_t vaddr, uint32_t height, uint32_t last_call)
{
	void *paths =
		grow(walk->paths, walk->path_count, &walk->path_capacity, sizeof(*walk->paths));

	if (!paths)
		return PARSER_FAILED;
	walk->paths = paths;
	walk->paths[walk->path_count++] =
		(struct walk_path){.vaddr = vaddr, .height = height, .last_call = last_call};
	return 0;
}

static int add_cell(struct walk *walk, uint32_t cell)
{
	void *cells =
		grow(walk->cells, walk->cell_count, &walk->cell_capacity, sizeof(*walk->cells));

	if (!cells)
		return PARSER_FAILED;
	walk->cells = cells;
	walk->cells[walk->cell_count++] = cell;
	return 0;
}

void walk_note_returns(struct walk *walk, enum code_returns returns)
{
	struct code_function *function = walk_function(walk);

	if (function->returns < returns)
		function->returns = (uint8_t)returns;
}

int walk_reject(struct walk *walk, uint32_t call)
{
	walk->noreturn_call = call;
	return WALK_REJECTED;
}

int walk_leave(struct walk *walk, const struct walk_path *path)
{
	if (!stack_height_may_leave(walk_height(walk, path->height)))
		return walk_reject(walk, path->last_call);
	noreturn_mark_exit(walk->map->cells, path->last_call);
	return WALK_DONE;
}

/* Two heights at @cell: of both paths' last calls, the nearest before it must not have returned. */
static int reject_heights(struct walk *walk, uint32_t cell, uint32_t call)
{
	uint32_t other = walk->map->cells[cell].last_call;
	uint32_t first = call < other ? call : other, last = call < other ? other : call;

	if (first == last)
		return WALK_REJECTED;
	return walk_reject(walk, !first || last <= cell ? last : first);
}

/* At an instruction that this function has claimed already. */
static int merge_paths(struct walk *walk, uint32_t at, struct walk_path *path)
{
	struct code_map *map = walk->map;
	struct code_cell *cell = &map->cells[at];
	uint32_t merged = height_set_merge(&map->heights, cell->height, path->height);
	int r;

	if (!merged)
		return walk_height(walk, path->height)->is_outermost
			       ? WALK_DONE
			       : reject_heights(walk, at, path->last_call);
	r = noreturn_add_edge(&walk->noreturn, map->cells, path->last_call, cell->last_call);
	if (r || merged == cell->height)
		return r ? r : WALK_DONE;
	do
		cell++->height = (uint16_t)merged;
	while (!cell->is_instruction && cell->function == walk->function &&
	       cell->last_call == cell[-1].last_call);
	path->height = merged;
	path->last_call = cell[-1].last_call;
	return WALK_AGAIN;
}

/* A jump to another function's start is a tail call. */
static int tail_call(struct walk *walk, const struct code_cell *callee,
		     const struct walk_path *path)
{
	if (!callee->noreturn)
		walk_note_returns(walk,
				  callee->returns ? CODE_RETURNS_PROVABLY : CODE_RETURNS_MAYBE);
	return walk_leave(walk, path);
}

int walk_arrive(struct walk *walk, uint32_t at, struct walk_path *path)
{
	struct code_map *map = walk->map;
	const struct code_cell *cell = &map->cells[at];

	if (cell->is_function && at != walk_function(walk)->cell)
		return tail_call(walk, cell, path);
	if (!cell->function)
		return 0;
	if (cell->function == walk->function && cell->is_instruction)
		return merge_paths(walk, at, path);
	/* Amid another function, or amid an instruction. */
	walk_note_returns(walk, CODE_RETURNS_MAYBE);
	if (cell->is_instruction && cell->height == path->height) {
		noreturn_mark_exit(map->cells, path->last_call);
		return WALK_DONE;
	}
	return walk_height(walk, path->height)->is_outermost ? WALK_DONE
							     : walk_reject(walk, path->last_call);
}

int walk_claim(struct walk *walk, uint32_t at, const struct walk_path *path, uint32_t bytes)
{
	struct code_cell *cells = &walk->map->cells[at];
	struct code_function *function = walk_function(walk);
	uint32_t last = at + bytes - 1;

	for (uint32_t i = 0; i < bytes; i++)
		if (cells[i].function || (i && cells[i].is_function))
			return walk_reject(walk, path->last_call);
	for (uint32_t i = 0; i < bytes; i++) {
		cells[i].function = walk->function;
		cells[i].height = (uint16_t)path->height;
		cells[i].last_call = path->last_call;
		cells[i].is_instruction = !i;
		cells[i].visited = true;
	}
	function->first = at < function->first ? at : function->first;
	function->last = last > function->last ? last : function->last;
	return add_cell(walk, at);
}

static void forget_instruction(struct walk *walk, uint32_t at)
{
	struct code_cell *cells = walk->map->cells;
	uint32_t last = walk_function(walk)->last;

	do
		cells[at++].function = 0;
	while (at <= last && cells[at].function == walk->function && !cells[at].is_instruction);
}

void walk_forget(struct walk *walk)
{
	for (uint32_t i = 0; i < walk->cell_count; i++)
		forget_instruction(walk, walk->cells[i]);
	walk->path_count = walk->cell_count = walk->noreturn.count = 0;
}

void walk_forget_unproved(struct walk *walk)
{
	struct code_cell *cells = walk->map->cells;
	uint32_t kept = 0;

	noreturn_propagate(&walk->noreturn, cells);
	for (uint32_t i = 0; i < walk->cell_count; i++) {
		uint32_t at = walk->cells[i], call = cells[at].last_call;

		if (!call || cells[call - 1].call_returns)
			walk->cells[kept++] = at;
		else
			forget_instruction(walk, at);
	}
	walk->cell_count = kept;
}

void walk_close(struct walk *walk)
{
	free(walk->paths);
	free(walk->cells);
	noreturn_close(&walk->noreturn);
	*walk = (struct walk){0};
}
