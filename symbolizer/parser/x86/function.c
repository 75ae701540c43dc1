/* SPDX-License-Identifier: Apache-2.0 */
/*
 * function - disassembles one function from its start along all control-flow paths
 */

#include "symbolizer/parser/x86/function.h"

#include "symbolizer/parser/parser.h"
#include "symbolizer/parser/x86/decode.h"
#include "symbolizer/parser/x86/path.h"

static int follow_all(struct walk *walk)
{
	int r = 0;

	while (!r && walk->path_count)
		r = path_follow(walk, walk->paths[--walk->path_count]);
	return r;
}

static void forget(struct walk *walk)
{
	struct code_function *function = walk_function(walk);

	walk_forget(walk);
	function->first = function->last = function->cell;
	function->dispatch = CODE_DISPATCH_NONE;
	function->returns = CODE_RETURNS_NEVER;
}

int function_read(struct walk *walk, uint32_t index)
{
	const struct stack_height entry = stack_height_at_entry();
	struct code_map *map = walk->map;
	uint32_t height = height_set_number(&map->heights, &entry);
	int r = WALK_REJECTED;

	walk->function = index + 1;
	walk->cell_count = 0;
	forget(walk);
	for (uint32_t i = 0; height && r == WALK_REJECTED && i < FUNCTION_ATTEMPTS; i++) {
		const struct code_function *function = walk_function(walk);

		walk->noreturn_call = 0;
		r = walk_add_path(walk, code_map_vaddr(map, function->cell), height, 0);
		if (!r)
			r = follow_all(walk);
		if (r != WALK_REJECTED)
			break;
		forget(walk);
		if (!walk->noreturn_call)
			break;
		map->cells[walk->noreturn_call - 1].call_noreturn = true;
	}
	if (!r)
		walk_forget_unproved(walk);
	walk_function(walk)->rejected = r == WALK_REJECTED;
	if (r == WALK_REJECTED)
		walk_note_returns(walk, CODE_RETURNS_MAYBE);
	return r == WALK_REJECTED ? 0 : r;
}

/* Where the blocks of a function may end: at its last instruction, or where its symbol ends. */
static uint32_t end_of_blocks(const struct code_function *function, const struct code_gap *gap)
{
	uint32_t end = function->last + 1, left = gap->cell + gap->bytes - function->cell;

	if (function->bytes > end - function->cell)
		end = function->cell + function->bytes;
	return end > function->cell + left ? function->cell + left : end;
}

/* Reads each block in [@at, @end) that was not visited, with the height of the indirect jumps. */
static int read_blocks(struct walk *walk, const struct code_gap *gap, uint32_t height, uint32_t at,
		       uint32_t end)
{
	const struct code_cell *cells = walk->map->cells;
	int r = 0;

	for (; !r && at < end; at++) {
		if (cells[at].visited)
			continue;
		at += decode_padding(gap->code + (at - gap->cell), gap->code + gap->bytes);
		if (at >= end || cells[at].visited || cells[at].is_function)
			continue;
		walk->cell_count = walk->path_count = walk->noreturn.count = 0;
		r = walk_add_path(walk, gap->vaddr + (at - gap->cell), height, 0);
		if (!r)
			r = follow_all(walk);
		if (r == WALK_REJECTED) { /* so these bytes are no blocks of the function */
			walk_forget(walk);
			return 0;
		}
	}
	return r;
}

int function_read_blocks(struct walk *walk, uint32_t index)
{
	struct code_map *map = walk->map;
	const struct code_function function = map->functions[index];
	const struct code_gap *gap;
	uint32_t end;

	walk->function = index + 1;
	if (function.dispatch != CODE_DISPATCH_ONE_HEIGHT || function.rejected ||
	    code_map_cell(map, code_map_vaddr(map, function.cell), &gap) == CODE_MAP_NO_CELL)
		return 0;
	end = end_of_blocks(&function, gap);
	if (end - function.cell > CODE_MAP_STEPS_MAX - map->steps) {
		map->truncated = true;
		return 0;
	}
	map->steps += end - function.cell;
	return read_blocks(walk, gap, function.dispatch_height, function.cell, end);
}
