/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * stack_height - where the CFA and the caller's registers are while a function moves its stack
 *
 * Distances count down from the CFA: the return address lies at 8. The ABI is taken to be kept: a
 * call leaves sp and fp as they were, and nothing overwrites the slot in which fp was saved.
 */

#include <stdbool.h>
#include <stdint.h>

#include "shared/unwind_table.h"
#include "symbolizer/parser/x86/insn.h"

#define STACK_HEIGHT_MAX       (1 << 24) /* bytes of a frame; a larger one is not believed */
#define STACK_HEIGHT_RBX_LOST  0xffu
#define STACK_HEIGHT_E_UNKNOWN 1

enum stack_height_fp {
	STACK_HEIGHT_FP_CALLER = 0, /* the caller's value */
	STACK_HEIGHT_FP_BASE,       /* points into this frame */
	STACK_HEIGHT_FP_OTHER,
};

struct stack_height {
	int32_t sp;        /* distance from the CFA; 0: not known */
	int32_t fp;        /* distance, with STACK_HEIGHT_FP_BASE */
	int32_t saved_fp;  /* distance of the slot that holds the caller's fp; 0: none */
	uint8_t fp_state;  /* enum stack_height_fp */
	bool is_outermost; /* the frame has no caller */
	uint8_t rbx_words; /* to the slot of the caller's rbx; 0: in its register; or RBX_LOST */
	uint8_t pad;
};

/* At a function's first instruction. */
struct stack_height stack_height_at_entry(void);
/* Applies @insn to sp and fp; jumps are up to the caller. Return: 0, STACK_HEIGHT_E_UNKNOWN. */
int stack_height_apply(struct stack_height *height, const struct insn *insn);
/* Where two paths meet: keeps in @height what holds on both. Return: 0, STACK_HEIGHT_E_UNKNOWN. */
int stack_height_merge(struct stack_height *height, const struct stack_height *other);
/* Whether a function may return or make a tail call here: the stack is as at its entry. */
bool stack_height_may_leave(const struct stack_height *height);
/* The unwind rule that says the same. */
struct tm_rule stack_height_rule(const struct stack_height *height);
