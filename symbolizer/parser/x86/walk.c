/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk - one way through a function, instruction by instruction
 */

#include "symbolizer/parser/x86/walk.h"

#include <stdlib.h>
#include <string.h>

#include "symbolizer/parser/parser.h"

#define WALK_DONE    1 /* nothing follows */
#define WALK_AGAIN   2 /* less is known here than was thought: so also of what follows */
#define FIRST_ROOM   64u
#define SYSCALL_NEAR 24u /* bytes between a clone's system call and what its child does first */

int walk_add(struct function *flow, uint64_t vaddr, uint32_t state, uint32_t origin)
{
	uint32_t room = flow->way_room ? 2 * flow->way_room : FIRST_ROOM;
	void *grown;

	if (flow->way_count == flow->way_room) {
		grown = reallocarray(flow->ways, room, sizeof(*flow->ways));
		if (!grown)
			return PARSER_FAILED;
		flow->ways = grown;
		flow->way_room = room;
	}
	flow->ways[flow->way_count++] =
		(struct function_way){.vaddr = vaddr, .state = state, .origin = origin};
	return 0;
}

static int add_cell(struct function *flow, uint32_t cell)
{
	uint32_t room = flow->cell_room ? 2 * flow->cell_room : FIRST_ROOM;
	void *grown;

	if (flow->cell_count == flow->cell_room) {
		grown = reallocarray(flow->cells, room, sizeof(*flow->cells));
		if (!grown)
			return PARSER_FAILED;
		flow->cells = grown;
		flow->cell_room = room;
	}
	flow->cells[flow->cell_count++] = cell;
	return 0;
}

/* Something does not fit behind that call. */
static int contradiction(struct function *flow, uint32_t origin)
{
	flow->culprit = origin;
	return WALK_BAD;
}

/* Two heights at @cell: the call that stands next before it is the one that does not return. */
static int clash(struct function *flow, uint32_t cell, uint32_t origin)
{
	uint32_t other = flow->heights->cells[cell].origin;
	uint32_t first = origin < other ? origin : other, last = origin < other ? other : origin;

	if (first == last)
		return WALK_BAD;
	return contradiction(flow, !first || last <= cell ? last : first);
}

/* Return: WALK_DONE, WALK_BAD. */
static int leave(struct function *flow, const struct function_way *way)
{
	const struct disassembly *heights = flow->heights;

	if (!stack_height_may_leave(&heights->states.list[way->state]))
		return contradiction(flow, way->origin);
	noreturn_exit(&flow->proof, heights->cells, way->origin);
	return WALK_DONE;
}

/* Where this function has been already. */
static int meet(struct function *flow, uint32_t at, struct function_way *way)
{
	struct disassembly *heights = flow->heights;
	struct disassembly_cell *cell = &heights->cells[at];
	uint32_t merged = height_set_merge(&heights->states, cell->state, way->state);
	int r;

	if (!merged)
		return heights->states.list[way->state].is_end ? WALK_DONE
							       : clash(flow, at, way->origin);
	r = noreturn_edge(&flow->proof, heights->cells, way->origin, cell->origin);
	if (r || merged == cell->state)
		return r ? r : WALK_DONE;
	do
		cell++->state = (uint16_t)merged;
	while (!cell->is_head && cell->owner == flow->number && cell->origin == cell[-1].origin);
	way->state = merged;
	way->origin = cell[-1].origin;
	return WALK_AGAIN;
}

/* Return: 0, WALK_DONE (somebody has been here), WALK_AGAIN, WALK_BAD. */
static int arrive(struct function *flow, uint32_t at, struct function_way *way)
{
	struct disassembly *heights = flow->heights;
	const struct disassembly_cell *cell = &heights->cells[at];

	if (cell->is_start && at != function_start(flow)->cell) { /* another function's matter */
		function_start(flow)->returns |= cell->is_end ? 0 : cell->is_sure ? 3 : 1;
		return leave(flow, way);
	}
	if (!cell->owner)
		return 0;
	if (cell->owner == flow->number && cell->is_head)
		return meet(flow, at, way);
	function_start(flow)->returns |= 1;
	if (cell->is_head && cell->state == way->state) {
		noreturn_exit(&flow->proof, heights->cells, way->origin);
		return WALK_DONE;
	}
	return heights->states.list[way->state].is_end ? WALK_DONE
						       : contradiction(flow, way->origin);
}

static int claim(struct function *flow, uint32_t at, const struct function_way *way, uint32_t bytes)
{
	struct disassembly_cell *cells = &flow->heights->cells[at];
	struct disassembly_start *start = function_start(flow);

	for (uint32_t i = 0; i < bytes; i++)
		if (cells[i].owner || (i && cells[i].is_start))
			return contradiction(flow, way->origin);
	for (uint32_t i = 0; i < bytes; i++) {
		cells[i].owner = flow->number;
		cells[i].state = (uint16_t)way->state;
		cells[i].origin = way->origin;
		cells[i].is_head = !i;
		cells[i].is_seen = 1;
	}
	start->first = at < start->first ? at : start->first;
	start->last = at + bytes - 1 > start->last ? at + bytes - 1 : start->last;
	return add_cell(flow, at);
}

/* A function that begins by giving up its caller's frame pointer has none: the ABI's outermost frame. */
static int is_first(const struct function *flow, const struct disassembly_gap *gap,
		    const uint8_t *code)
{
	return gap->cell + (uint32_t)(code - gap->code) == function_start(flow)->cell;
}

/* In the child of a system call the stack is new: it begins with no frame at all. */
static int begins_a_thread(const struct disassembly_gap *gap, const uint8_t *code)
{
	uint64_t before = (uint64_t)(code - gap->code);
	uint64_t near = before < SYSCALL_NEAR ? before : SYSCALL_NEAR;

	return memmem(code - near, near, "\x0f\x05", 2) != NULL;
}

/* Jumps to where @way's height holds. */
static int jump(struct function *flow, const struct function_way *way, uint64_t target)
{
	if (disassembly_cell(flow->heights, target, NULL) != DISASSEMBLY_NO_CELL)
		return walk_add(flow, target, way->state, way->origin);
	function_start(flow)->returns |= 1;
	return leave(flow, way) == WALK_DONE ? 0 : WALK_BAD;
}

static int step(struct function *flow, const struct disassembly_gap *gap, const uint8_t *code,
		const struct insn *insn, struct function_way *way)
{
	struct stack_height height = flow->heights->states.list[way->state];

	if (insn->kind == INSN_CLEAR_FP && !height.saved &&
	    height.fp_is == STACK_HEIGHT_FP_CALLERS &&
	    (is_first(flow, gap, code) || begins_a_thread(gap, code)))
		height.is_end = 1;
	if (stack_height_step(&height, insn))
		return contradiction(flow, way->origin);
	way->state = height_set_number(&flow->heights->states, &height);
	return way->state ? 0 : WALK_BAD;
}

/* Filling behind a call, where the function is not known to go on: it may end there. */
static int is_behind(struct function *flow, const struct disassembly_gap *gap, uint32_t at)
{
	const struct disassembly_start *start = function_start(flow);

	if (start->bytes)
		return at - start->cell == start->bytes;
	if (!insn_filling(gap->code + (at - gap->cell), gap->code + gap->bytes))
		return 0;
	function_start(flow)->returns |= 1;
	return 1;
}

static int call(struct function *flow, const struct disassembly_gap *gap, uint32_t at,
		const struct insn *insn, struct function_way *way)
{
	struct disassembly *heights = flow->heights;
	uint32_t target =
		insn->target ? disassembly_cell(heights, insn->target, NULL) : DISASSEMBLY_NO_CELL;
	int returns =
		target == DISASSEMBLY_NO_CELL ? insn->is_pointer : heights->cells[target].is_sure;
	int r;

	if (heights->cells[at].is_last)
		return WALK_DONE;
	if (target != DISASSEMBLY_NO_CELL && heights->cells[target].is_end)
		return WALK_DONE;
	heights->cells[at].is_proved = 0;
	r = noreturn_edge(&flow->proof, heights->cells, way->origin, at + 1);
	/* What returns elsewhere, and what nobody can know, returns if its call is a call at all. */
	if (!r && returns)
		r = noreturn_edge(&flow->proof, heights->cells, at + 1, way->origin);
	if (!r && target != DISASSEMBLY_NO_CELL)
		r = disassembly_begin(heights, target, 0);
	if (r)
		return r;
	way->origin = at + 1;
	return !returns && is_behind(flow, gap, at + insn->bytes) ? WALK_DONE : 0;
}

/* A sum of registers, or an element: compilers' tables. Any other jump may be a call, as the last act. */
static int is_by_table(const uint8_t *code, const uint8_t *first)
{
	const uint8_t *jump = *code == 0x3e ? code + 1 : code; /* notrack */

	if (jump[0] == 0xff && jump[1] == 0x24)
		return 1;
	return code - first >= 3 && (code[-3] & 0xf8) == 0x48 &&
	       (code[-2] == 0x01 || code[-2] == 0x03) && code[-1] >= 0xc0;
}

static void note_dispatch(struct function *flow, const uint8_t *code, const uint8_t *first,
			  uint32_t state)
{
	struct disassembly_start *start = function_start(flow);
	uint32_t merged = start->jumps
				  ? height_set_merge(&flow->heights->states, start->jumping, state)
				  : state;

	start->returns |= 1;
	if (stack_height_may_leave(&flow->heights->states.list[state]) && !is_by_table(code, first))
		return;
	start->jumps = merged ? 1 : 2;
	start->jumping = (uint16_t)merged;
}

static int note_address(struct function *flow, uint64_t vaddr)
{
	uint32_t cell = disassembly_cell(flow->heights, vaddr, NULL);

	return cell == DISASSEMBLY_NO_CELL ? 0 : disassembly_suspect(flow->heights, cell);
}

/* What comes after @insn. Return: 0 the next instruction, WALK_DONE, WALK_BAD, PARSER_FAILED. */
static int go_on(struct function *flow, const struct disassembly_gap *gap, uint32_t at,
		 const struct insn *insn, struct function_way *way)
{
	int r;

	switch (insn->kind) {
	case INSN_CALL:
		return call(flow, gap, at, insn, way);
	case INSN_JUMP:
		r = jump(flow, way, insn->target);
		return r ? r : WALK_DONE;
	case INSN_BRANCH:
		return jump(flow, way, insn->target);
	case INSN_JUMP_INDIRECT:
		note_dispatch(flow, gap->code + (at - gap->cell), gap->code, way->state);
		noreturn_exit(&flow->proof, flow->heights->cells, way->origin);
		return WALK_DONE;
	case INSN_RET:
		function_start(flow)->returns |= 2;
		return leave(flow, way);
	case INSN_STOP:
		return WALK_DONE;
	default:
		r = insn->is_address ? note_address(flow, insn->target) : 0;
		return r ? r : step(flow, gap, gap->code + (at - gap->cell), insn, way);
	}
}

int walk_follow(struct function *flow, struct function_way way)
{
	struct disassembly *heights = flow->heights;
	int r = 0;

	while (!r) {
		const struct disassembly_gap *gap;
		uint32_t at = disassembly_cell(heights, way.vaddr, &gap);
		struct insn insn;
		int arrived;

		if (at ==
		    DISASSEMBLY_NO_CELL) { /* on into what is described; or behind a last call */
			function_start(flow)->returns |= 1;
			return stack_height_may_leave(&heights->states.list[way.state]) ||
					       way.origin
				       ? 0
				       : WALK_BAD;
		}
		arrived = arrive(flow, at, &way);
		if (arrived && arrived != WALK_AGAIN)
			return arrived == WALK_DONE ? 0 : arrived;
		if (heights->steps >= DISASSEMBLY_STEPS_MAX) {
			heights->cut = 1;
			return WALK_BAD;
		}
		heights->steps++;
		if (insn_read(gap->code + (at - gap->cell), gap->code + gap->bytes, way.vaddr,
			      &insn))
			return contradiction(flow, way.origin);
		r = arrived ? 0 : claim(flow, at, &way, insn.bytes);
		if (!r)
			r = go_on(flow, gap, at, &insn, &way);
		way.vaddr += insn.bytes;
	}
	return r == WALK_DONE ? 0 : r;
}
