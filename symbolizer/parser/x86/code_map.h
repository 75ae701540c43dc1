/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * code_map - what disassembly knows of each byte of code that no unwind information describes
 *
 * Shape      gaps: the ranges of code without unwind information, in the order of their file
 *            offsets. Cells: one for each byte of each gap. Functions: where one is known to begin.
 *            Suspects: cells whose address is taken somewhere, so that a function may begin there.
 * Trust      the code is hostile like the rest of the file: memory grows with the bytes that are
 *            there, never by a number read.
 * Limits     CODE_MAP_BYTES_MAX of gaps, CODE_MAP_GAPS_MAX of them, CODE_MAP_FUNCTIONS_MAX
 *            functions, CODE_MAP_STEPS_MAX instructions and sections looked at. Code beyond a limit
 *            has no rows, and `truncated` is set.
 */

#include <stdbool.h>

#include "symbolizer/parser/elf/sections.h"
#include "symbolizer/parser/x86/height_set.h"

#define CODE_MAP_BYTES_MAX     (8u << 20)
#define CODE_MAP_GAPS_MAX      (1u << 18)
#define CODE_MAP_FUNCTIONS_MAX (1u << 18)
#define CODE_MAP_STEPS_MAX     (32u << 20)
#define CODE_MAP_NO_CELL       0xffffffffu

struct code_gap {
	uint64_t vaddr;
	uint64_t offset; /* in the file */
	const uint8_t *code;
	uint32_t bytes;
	uint32_t cell; /* of its first byte */
};

struct code_cell {
	uint32_t function;   /* whose instruction covers the byte, counted from 1; 0: none does */
	uint32_t last_call;  /* the call before it on its path: cell + 1; 0: none */
	uint16_t height;     /* before the instruction: its number in `heights` */
	bool is_instruction; /* an instruction begins here */
	bool is_function;    /* a function begins here */
	bool noreturn;       /* the function that begins here never returns */
	bool returns;        /* the function that begins here provably returns */
	bool call_noreturn;  /* the call here does not return */
	bool call_returns;   /* the call here provably returns */
	bool visited;        /* in this pass; also where the path was given up again */
};

enum code_returns { /* whether a function returns; a later value replaces an earlier one */
	CODE_RETURNS_NEVER,
	CODE_RETURNS_MAYBE,
	CODE_RETURNS_PROVABLY,
};

enum code_dispatch { /* the indirect jumps of a function to its own blocks */
	CODE_DISPATCH_NONE,
	CODE_DISPATCH_ONE_HEIGHT,
	CODE_DISPATCH_MANY_HEIGHTS,
};

struct code_function {
	uint32_t cell;
	uint32_t bytes; /* of its symbol; 0: not known */
	uint32_t first; /* its instructions lie in the cells [first, last] */
	uint32_t last;
	uint16_t dispatch_height; /* at its indirect jumps */
	uint8_t dispatch;         /* enum code_dispatch */
	uint8_t returns;          /* enum code_returns */
	bool rejected;            /* its code contradicts itself: it has no rows */
};

struct code_map {
	const struct sections *sections; /* borrowed */
	struct code_gap *gaps;           /* owned */
	struct code_cell *cells;         /* owned; NULL until code_map_allocate() */
	struct code_function *functions; /* owned */
	uint32_t *suspects;              /* owned */
	struct height_set heights;
	uint32_t gap_count, gap_capacity;
	uint32_t function_count, function_capacity;
	uint32_t suspect_count, suspect_capacity;
	uint32_t cell_count;
	uint32_t steps; /* done, of CODE_MAP_STEPS_MAX */
	bool truncated;
};

void code_map_open(struct code_map *map, const struct sections *sections);
/* Adds the code between two file offsets that nothing describes; ranges must come in order.
 * Return: 0, or an enum parser_status. */
int code_map_add(struct code_map *map, uint64_t from, uint64_t to);
/* After the last range: one cell for each byte of the gaps. Return: 0, PARSER_FAILED (memory). */
int code_map_allocate(struct code_map *map);
/* The cell of an address, CODE_MAP_NO_CELL: outside the gaps. @ret_gap: its gap; may be NULL. */
uint32_t code_map_cell(const struct code_map *map, uint64_t vaddr, const struct code_gap **ret_gap);
uint64_t code_map_vaddr(const struct code_map *map, uint32_t cell);
/* A function begins at @cell; @bytes: of its symbol, or 0. Return: 0, PARSER_FAILED (memory). */
int code_map_add_function(struct code_map *map, uint32_t cell, uint32_t bytes);
/* The address of @cell is taken somewhere. Return: as above. */
int code_map_add_suspect(struct code_map *map, uint32_t cell);
/* Whether a function may begin at a suspect: not amid the code that was already walked. */
bool code_map_may_begin_function(const struct code_map *map, uint32_t cell);
/* Return: the bytes from file offset @at, below @to, that have one @ret_height (NULL: none). */
uint64_t code_map_find(const struct code_map *map, uint64_t at, uint64_t to,
		       const struct stack_height **ret_height);
void code_map_close(struct code_map *map);
