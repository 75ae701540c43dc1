/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path - follows one control-flow path through a function, instruction by instruction
 */

#include "symbolizer/parser/x86/path.h"

#include <string.h>

#include "symbolizer/parser/parser.h"
#include "symbolizer/parser/x86/decode.h"

#define SYSCALL_NEAR 24u /* bytes between a clone's system call and what its child does first */

/* The instruction under the path. */
struct place {
	const struct code_gap *gap;
	uint32_t cell;
	struct insn insn;
};

static const uint8_t *code_at(const struct place *place)
{
	return place->gap->code + (place->cell - place->gap->cell);
}

static const uint8_t *code_end(const struct place *place)
{
	return place->gap->code + place->gap->bytes;
}

/* A new thread's stack is empty: the child of a clone starts without any frame. */
static bool follows_clone(const struct place *place)
{
	uint64_t before = place->cell - place->gap->cell;
	uint64_t near = before < SYSCALL_NEAR ? before : SYSCALL_NEAR;

	return memmem(code_at(place) - near, near, "\x0f\x05", 2) != NULL;
}

/* By the ABI the outermost frame clears the frame pointer. A function that starts by clearing its
 * caller's without having saved it has no caller. */
static bool begins_stack(const struct walk *walk, const struct place *place,
			 const struct stack_height *height)
{
	return place->insn.kind == INSN_CLEAR_FP && !height->saved_fp &&
	       height->fp_state == STACK_HEIGHT_FP_CALLER &&
	       (place->cell == walk_function(walk)->cell || follows_clone(place));
}

/* A jump, with the height that @path has. */
static int jump(struct walk *walk, const struct walk_path *path, uint64_t target)
{
	if (code_map_cell(walk->map, target, NULL) != CODE_MAP_NO_CELL)
		return walk_add_path(walk, target, path->height, path->last_call);
	walk_note_returns(walk, CODE_RETURNS_MAYBE);
	return walk_leave(walk, path) == WALK_DONE ? 0 : WALK_REJECTED;
}

/* Carries the height over an instruction that is no jump. */
static int apply(struct walk *walk, const struct place *place, struct walk_path *path)
{
	struct stack_height height = *walk_height(walk, path->height);

	if (begins_stack(walk, place, &height))
		height.is_outermost = true;
	if (stack_height_apply(&height, &place->insn))
		return walk_reject(walk, path->last_call);
	path->height = height_set_number(&walk->map->heights, &height);
	return path->height ? 0 : WALK_REJECTED;
}

/* Whether the function may end behind a call: its symbol ends there, or padding follows. */
static bool may_end_behind(struct walk *walk, const struct place *place)
{
	const struct code_function *function = walk_function(walk);

	if (function->bytes)
		return place->cell + place->insn.bytes - function->cell == function->bytes;
	if (!decode_padding(code_at(place) + place->insn.bytes, code_end(place)))
		return false;
	walk_note_returns(walk, CODE_RETURNS_MAYBE);
	return true;
}

static int call(struct walk *walk, const struct place *place, struct walk_path *path)
{
	struct code_map *map = walk->map;
	struct code_cell *cell = &map->cells[place->cell];
	uint32_t name = place->cell + 1, target = CODE_MAP_NO_CELL;
	bool returns = place->insn.is_pointer;
	int r;

	if (place->insn.target)
		target = code_map_cell(map, place->insn.target, NULL);
	if (cell->call_noreturn)
		return WALK_DONE;
	if (target != CODE_MAP_NO_CELL) {
		if (map->cells[target].noreturn)
			return WALK_DONE;
		returns = map->cells[target].returns;
	}
	cell->call_returns = false;
	r = noreturn_add_edge(&walk->noreturn, map->cells, path->last_call, name);
	/* The callee provably returns, or is unknown: so the call returns if it is ever reached. */
	if (!r && returns)
		r = noreturn_add_edge(&walk->noreturn, map->cells, name, path->last_call);
	if (!r && target != CODE_MAP_NO_CELL)
		r = code_map_add_function(map, target, 0);
	if (r)
		return r;
	path->last_call = name;
	return !returns && may_end_behind(walk, place) ? WALK_DONE : 0;
}

/* A jump to a sum of registers, or to a table's element: a compiler's jump table. Any other
 * indirect jump may be a tail call. */
static bool is_jump_table(const struct place *place)
{
	const uint8_t *code = code_at(place);
	const uint8_t *opcode = *code == 0x3e ? code + 1 : code; /* behind notrack */

	if (opcode[0] == 0xff && opcode[1] == 0x24)
		return true;
	return code - place->gap->code >= 3 && (code[-3] & 0xf8) == 0x48 &&
	       (code[-2] == 0x01 || code[-2] == 0x03) && code[-1] >= 0xc0;
}

static void note_dispatch(struct walk *walk, const struct place *place, uint32_t height)
{
	struct code_function *function = walk_function(walk);
	uint32_t merged = height;

	if (function->dispatch != CODE_DISPATCH_NONE)
		merged = height_set_merge(&walk->map->heights, function->dispatch_height, height);
	walk_note_returns(walk, CODE_RETURNS_MAYBE);
	if (stack_height_may_leave(walk_height(walk, height)) && !is_jump_table(place))
		return;
	function->dispatch = merged ? CODE_DISPATCH_ONE_HEIGHT : CODE_DISPATCH_MANY_HEIGHTS;
	function->dispatch_height = (uint16_t)merged;
}

static int note_address(struct walk *walk, uint64_t vaddr)
{
	uint32_t cell = code_map_cell(walk->map, vaddr, NULL);

	return cell == CODE_MAP_NO_CELL ? 0 : code_map_add_suspect(walk->map, cell);
}

/* What follows the instruction. Return: 0: the next one; a status of walk.h, PARSER_FAILED. */
static int go_on(struct walk *walk, const struct place *place, struct walk_path *path)
{
	const struct insn *insn = &place->insn;
	int r;

	switch (insn->kind) {
	case INSN_CALL:
		return call(walk, place, path);
	case INSN_JUMP:
		r = jump(walk, path, insn->target);
		return r ? r : WALK_DONE;
	case INSN_BRANCH:
		return jump(walk, path, insn->target);
	case INSN_JUMP_INDIRECT:
		note_dispatch(walk, place, path->height);
		noreturn_mark_exit(walk->map->cells, path->last_call);
		return WALK_DONE;
	case INSN_RET:
		walk_note_returns(walk, CODE_RETURNS_PROVABLY);
		return walk_leave(walk, path);
	case INSN_STOP:
		return WALK_DONE;
	default:
		r = insn->is_address ? note_address(walk, insn->target) : 0;
		return r ? r : apply(walk, place, path);
	}
}

/* The path goes on into code that is described, or behind a call that does not return. */
static int leave_gap(struct walk *walk, const struct walk_path *path)
{
	walk_note_returns(walk, CODE_RETURNS_MAYBE);
	return stack_height_may_leave(walk_height(walk, path->height)) || path->last_call
		       ? WALK_DONE
		       : WALK_REJECTED;
}

static int follow_one(struct walk *walk, struct walk_path *path)
{
	struct code_map *map = walk->map;
	struct place place;
	int r;

	place.cell = code_map_cell(map, path->vaddr, &place.gap);
	if (place.cell == CODE_MAP_NO_CELL)
		return leave_gap(walk, path);
	r = walk_arrive(walk, place.cell, path);
	if (r && r != WALK_AGAIN)
		return r;
	if (map->steps >= CODE_MAP_STEPS_MAX) {
		map->truncated = true;
		return WALK_REJECTED;
	}
	map->steps++;
	if (decode_insn(code_at(&place), code_end(&place), path->vaddr, &place.insn))
		return walk_reject(walk, path->last_call);
	if (r != WALK_AGAIN)
		r = walk_claim(walk, place.cell, path, place.insn.bytes);
	else
		r = 0;
	if (!r)
		r = go_on(walk, &place, path);
	path->vaddr += place.insn.bytes;
	return r;
}

int path_follow(struct walk *walk, struct walk_path path)
{
	int r = 0;

	while (!r)
		r = follow_one(walk, &path);
	return r == WALK_DONE ? 0 : r;
}
