/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * stack_height - where a function's caller is while its instructions move the stack
 *
 * Distances count down from the CFA: the return address lies at 8. What compilers promise is believed:
 * a call leaves sp and fp as they were, and a slot that fp was saved in keeps it.
 */

#include <stdint.h>

#include "shared/unwind_table.h"
#include "symbolizer/parser/x86/insn.h"

#define STACK_HEIGHT_MOST      (1 << 24) /* of a frame; a larger one is not believed */
#define STACK_HEIGHT_KEPT_LOST 0xffu
#define STACK_HEIGHT_E_UNKNOWN 1

enum stack_height_fp {
	STACK_HEIGHT_FP_CALLERS = 0, /* as the caller left it */
	STACK_HEIGHT_FP_BASE,        /* a place in this frame */
	STACK_HEIGHT_FP_OTHER,
};

struct stack_height {
	int32_t sp;     /* its distance; 0: not known */
	int32_t fp;     /* with STACK_HEIGHT_FP_BASE its distance */
	int32_t saved;  /* distance of the slot that has the caller's fp; 0: none */
	uint8_t fp_is;  /* enum stack_height_fp */
	uint8_t is_end; /* the outermost frame */
	uint8_t kept; /* words to the slot of the caller's TM_UNWIND_TABLE_KEPT; 0: in its register; or _LOST */
	uint8_t pad;
};

/* Where a call leads. */
struct stack_height stack_height_of_entry(void);
/* What @insn does to it; the flow is not its matter. Return: 0, STACK_HEIGHT_E_UNKNOWN. */
int stack_height_step(struct stack_height *height, const struct insn *insn);
/* Into @height what also holds of @other, where two ways meet. Return: 0, STACK_HEIGHT_E_UNKNOWN. */
int stack_height_merge(struct stack_height *height, const struct stack_height *other);
/* Whether a function may be left like this: as it was entered. */
int stack_height_may_leave(const struct stack_height *height);
struct tm_rule stack_height_rule(const struct stack_height *height);
