/* SPDX-License-Identifier: Apache-2.0 */
/*
 * function - follows one function's instructions from its start on all ways
 */

#include "symbolizer/parser/x86/function.h"

#include <stdlib.h>

#include "symbolizer/parser/parser.h"
#include "symbolizer/parser/x86/walk.h"

static int follow_all(struct function *flow)
{
	int r = 0;

	while (!r && flow->way_count)
		r = walk_follow(flow, flow->ways[--flow->way_count]);
	return r;
}

static void forget_one(struct function *flow, uint32_t at)
{
	struct disassembly_cell *cells = flow->heights->cells;
	uint32_t last = function_start(flow)->last;

	do
		cells[at++].owner = 0;
	while (at <= last && cells[at].owner == flow->number && !cells[at].is_head);
}

static void forget_cells(struct function *flow)
{
	for (uint32_t i = 0; i < flow->cell_count; i++)
		forget_one(flow, flow->cells[i]);
	flow->way_count = flow->cell_count = flow->proof.count = 0;
}

/* What only a call leads to of which nobody knows that it returns. */
static void forget_unproved(struct function *flow)
{
	struct disassembly_cell *cells = flow->heights->cells;
	uint32_t kept = 0;

	noreturn_settle(&flow->proof, cells);
	for (uint32_t i = 0; i < flow->cell_count; i++) {
		uint32_t at = flow->cells[i], origin = cells[at].origin;

		if (!origin || cells[origin - 1].is_proved)
			flow->cells[kept++] = at;
		else
			forget_one(flow, at);
	}
	flow->cell_count = kept;
}

static void forget(struct function *flow)
{
	struct disassembly_start *start = function_start(flow);

	forget_cells(flow);
	start->first = start->last = start->cell;
	start->jumps = start->returns = 0;
}

int function_read(struct function *flow, uint32_t number)
{
	const struct stack_height entry = stack_height_of_entry();
	struct disassembly *heights = flow->heights;
	uint32_t state = height_set_number(&heights->states, &entry);
	int r = WALK_BAD;

	flow->number = number + 1;
	flow->cell_count = 0;
	forget(flow);
	for (uint32_t i = 0; state && r == WALK_BAD && i < FUNCTION_ATTEMPTS; i++) {
		const struct disassembly_start *start = function_start(flow);

		flow->culprit = 0;
		r = walk_add(flow, disassembly_vaddr(heights, start->cell), state, 0);
		if (!r)
			r = follow_all(flow);
		if (r != WALK_BAD)
			break;
		forget(flow);
		if (!flow->culprit)
			break;
		heights->cells[flow->culprit - 1].is_last = 1;
	}
	if (!r)
		forget_unproved(flow);
	function_start(flow)->bad = r == WALK_BAD;
	function_start(flow)->returns |= r == WALK_BAD;
	return r == WALK_BAD ? 0 : r;
}

/* Where the function may have blocks: between those that it owns, or as far as its symbol reaches. */
static uint32_t end_of_blocks(const struct disassembly_start *start,
			      const struct disassembly_gap *gap)
{
	uint32_t end = start->last + 1, left = gap->cell + gap->bytes - start->cell;

	if (start->bytes > end - start->cell)
		end = start->cell + start->bytes;
	return end > start->cell + left ? start->cell + left : end;
}

int function_read_blocks(struct function *flow, uint32_t number)
{
	struct disassembly *heights = flow->heights;
	const struct disassembly_start start = heights->starts[number];
	const struct disassembly_gap *gap;
	uint32_t at = start.cell, end;
	int r = 0;

	flow->number = number + 1;
	if (start.jumps != 1 || start.bad ||
	    disassembly_cell(heights, disassembly_vaddr(heights, start.cell), &gap) ==
		    DISASSEMBLY_NO_CELL)
		return 0;
	end = end_of_blocks(&start, gap);
	if (end - at > DISASSEMBLY_STEPS_MAX - heights->steps) {
		heights->cut = 1;
		return 0;
	}
	heights->steps += end - at;
	for (; !r && at < end; at++) {
		const struct disassembly_cell *cell;

		if (heights->cells[at].is_seen)
			continue;
		at += insn_filling(gap->code + (at - gap->cell), gap->code + gap->bytes);
		cell = at < end ? &heights->cells[at] : NULL;
		if (!cell || cell->is_seen || cell->is_start)
			continue;
		flow->cell_count = flow->way_count = flow->proof.count = 0;
		r = walk_add(flow, gap->vaddr + (at - gap->cell), start.jumping, 0);
		if (!r)
			r = follow_all(flow);
		if (r == WALK_BAD) { /* so they are not what they were taken for */
			forget_cells(flow);
			return 0;
		}
	}
	return r;
}

void function_close(struct function *flow)
{
	free(flow->ways);
	free(flow->cells);
	noreturn_close(&flow->proof);
	*flow = (struct function){0};
}
