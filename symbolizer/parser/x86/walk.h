/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * walk - the state of a walk through one function: open paths and claimed instructions
 *
 * Where two paths meet, their stack heights are merged into what holds on both; where they cannot
 * be, the function is rejected.
 */

#include "symbolizer/parser/parser.h"
#include "symbolizer/parser/x86/code_map.h"
#include "symbolizer/parser/x86/noreturn.h"

enum walk_status {                       /* of a path, beside 0 (it goes on) and PARSER_FAILED */
	WALK_REJECTED = PARSER_STATUS_N, /* a contradiction; `noreturn_call` may explain it */
	WALK_DONE,                       /* the path ends here */
	WALK_AGAIN, /* the merged height says less than before: what follows is read again */
};

struct walk_path {
	uint64_t vaddr;
	uint32_t height;    /* number in code_map.heights */
	uint32_t last_call; /* as in struct code_cell */
};

struct walk {
	struct code_map *map;    /* borrowed */
	struct walk_path *paths; /* owned; still to be followed */
	uint32_t *cells;         /* owned; where the claimed instructions begin */
	struct noreturn noreturn;
	uint32_t path_count, path_capacity;
	uint32_t cell_count, cell_capacity;
	uint32_t function; /* counted from 1 */
	/* A contradiction disappears if this call never returns; cell + 1, 0: no such call. */
	uint32_t noreturn_call;
};

static inline struct code_function *walk_function(const struct walk *walk)
{
	return &walk->map->functions[walk->function - 1];
}

static inline const struct stack_height *walk_height(const struct walk *walk, uint32_t height)
{
	return &walk->map->heights.list[height];
}

/* Return: 0, PARSER_FAILED (memory). */
int walk_add_path(struct walk *walk, uint64_t vaddr, uint32_t height, uint32_t last_call);
/* The function returns at least as surely as @returns says. */
void walk_note_returns(struct walk *walk, enum code_returns returns);
/* Something behind @call makes no sense. Return: WALK_REJECTED. */
int walk_reject(struct walk *walk, uint32_t call);
/* The path leaves the function. Return: WALK_DONE; WALK_REJECTED: not with its entry's stack. */
int walk_leave(struct walk *walk, const struct walk_path *path);
/* The path comes to cell @at. Return: 0: the first to do so; or a walk_status, PARSER_FAILED. */
int walk_arrive(struct walk *walk, uint32_t at, struct walk_path *path);
/* Claims an instruction. Return: 0, WALK_REJECTED: its bytes are another's; PARSER_FAILED. */
int walk_claim(struct walk *walk, uint32_t at, const struct walk_path *path, uint32_t bytes);
/* Gives up every claim of this walk. */
void walk_forget(struct walk *walk);
/* Gives up the claims behind calls that are not proved to return. */
void walk_forget_unproved(struct walk *walk);
void walk_close(struct walk *walk);
