/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * function - follows one function's instructions from its start on all ways
 *
 * A call is taken to return; where that leads into a contradiction, it is one that does not, and the
 * function is read again without the way behind it, FUNCTION_ATTEMPTS times at most.
 */

#include "symbolizer/parser/x86/disassembly.h"
#include "symbolizer/parser/x86/noreturn.h"

#define FUNCTION_ATTEMPTS 32u

struct function_way { /* to be followed */
	uint64_t vaddr;
	uint32_t state;
	uint32_t origin; /* as in a cell */
};

struct function {
	struct disassembly *heights; /* borrowed */
	struct function_way *ways;   /* owned */
	struct noreturn proof;
	uint32_t *cells; /* owned; heads of the instructions met */
	uint32_t way_count, way_room;
	uint32_t cell_count, cell_room;
	uint32_t number;  /* of the function, one-based */
	uint32_t culprit; /* the call that must not have returned, one-based cell; 0: none */
};

static inline struct disassembly_start *function_start(const struct function *flow)
{
	return &flow->heights->starts[flow->number - 1];
}

/* Function @number of `starts`. Return: 0, or an enum parser_status. */
int function_read(struct function *flow, uint32_t number);
/* Blocks of it that only an indirect jump reaches. Return: as above. */
int function_read_blocks(struct function *flow, uint32_t number);
void function_close(struct function *flow);
