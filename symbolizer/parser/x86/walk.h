/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * walk - one way through a function, instruction by instruction
 */

#include "symbolizer/parser/x86/function.h"

#define WALK_BAD \
	(-1) /* the function is not understood; flow.culprit: unless that call does not return */

/* Return: 0, PARSER_FAILED (memory). */
int walk_add(struct function *flow, uint64_t vaddr, uint32_t state, uint32_t origin);
/* To its end; branches are added. Return: 0, WALK_BAD, PARSER_FAILED. */
int walk_follow(struct function *flow, struct function_way way);
