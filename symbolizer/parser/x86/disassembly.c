/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disassembly - finds stack heights by disassembly where code has no unwind information
 */

#include "symbolizer/parser/x86/disassembly.h"

#include "symbolizer/parser/x86/entry_points.h"
#include "symbolizer/parser/x86/function.h"

/* Every function known so far, those that they call, and those whose address is taken. */
static int read_functions(struct walk *walk, uint32_t *done)
{
	struct code_map *map = walk->map;
	uint32_t tried = 0;
	int r = 0;

	while (!r && (*done < map->function_count || tried < map->suspect_count)) {
		if (*done < map->function_count) {
			r = function_read(walk, (*done)++);
			continue;
		}
		if (code_map_may_begin_function(map, map->suspects[tried]))
			r = code_map_add_function(map, map->suspects[tried], 0);
		tried++;
	}
	return r;
}

static int run_pass(struct walk *walk)
{
	struct code_map *map = walk->map;
	uint32_t done = 0, count;
	int r;

	for (uint32_t i = 0; i < map->cell_count; i++) {
		map->cells[i].function = 0;
		map->cells[i].visited = false;
	}
	r = read_functions(walk, &done);
	count = map->function_count;
	for (uint32_t i = 0; !r && i < count; i++)
		r = function_read_blocks(walk, i);
	return r ? r : read_functions(walk, &done);
}

/* Notes at its first cell whether each function returns. Return: whether any of it is new. */
static bool note_returns(struct code_map *map)
{
	bool is_new = false;

	for (uint32_t i = 0; i < map->function_count; i++) {
		const struct code_function *function = &map->functions[i];
		struct code_cell *cell = &map->cells[function->cell];
		bool noreturn = function->returns == CODE_RETURNS_NEVER;
		bool returns = !function->rejected && function->returns == CODE_RETURNS_PROVABLY;

		is_new |= (noreturn && !cell->noreturn) || (returns && !cell->returns);
		cell->noreturn |= noreturn;
		cell->returns |= returns;
	}
	return is_new;
}

static int run_passes(struct code_map *map)
{
	struct walk walk = {.map = map};
	int r = entry_points_find(map);

	for (uint32_t i = 0; !r && i < DISASSEMBLY_PASSES; i++) {
		r = run_pass(&walk);
		if (!note_returns(map))
			break;
	}
	walk_close(&walk);
	return r;
}

int disassembly_run(struct code_map *map)
{
	int r;

	if (!map->cell_count)
		return 0;
	r = code_map_allocate(map);
	if (!r)
		r = run_passes(map);
	map->truncated |= map->heights.truncated;
	return r;
}
