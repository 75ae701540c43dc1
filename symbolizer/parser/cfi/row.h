/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * row - one row of call frame information: the rules of the CFA and of registers at a place
 */

#include <stdint.h>

#define ROW_STACK_MAX 64u /* rows that remember_state can remember */

enum register_rule_kind { /* DWARF 5, 6.4.1 */
	REGISTER_RULE_UNSPECIFIED = 0,
	REGISTER_RULE_UNDEFINED,
	REGISTER_RULE_SAME_VALUE,
	REGISTER_RULE_OFFSET,     /* at cfa + offset */
	REGISTER_RULE_VAL_OFFSET, /* is cfa + offset; of the CFA itself: register + offset */
	REGISTER_RULE_REGISTER,   /* in another register */
	REGISTER_RULE_EXPRESSION, /* at the address to which an expression of the CFA evaluates */
	REGISTER_RULE_VAL_EXPRESSION, /* is its value; that of the CFA starts with an empty stack */
};

struct register_rule {
	uint16_t kind;   /* enum register_rule_kind */
	uint16_t number; /* of a register */
	uint32_t bytes;  /* of `expression` */
	union {
		int64_t offset;
		const uint8_t *expression;
	};
};

struct row {
	struct register_rule cfa; /* UNSPECIFIED, VAL_OFFSET or VAL_EXPRESSION */
	/* The last CFA rule that was VAL_OFFSET: instructions may change one part of it. */
	struct register_rule cfa_base;
	struct register_rule ra;
	struct register_rule fp;
	struct register_rule bx;
	struct register_rule sp;
};

/* Takes a row that holds from @at on, a distance from the function's start; NULL: nothing is known.
 * Return: 0, or an enum parser_status, which ends the run. */
typedef int (*row_fn)(void *context, uint64_t at, const struct row *row);
