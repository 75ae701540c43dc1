/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * expression - evaluates a DWARF expression symbolically, as far as an unwind rule can express it
 *
 * Shape      [ *( base + scale * index + offset ) + ] add. The expression runs on values of this
 *            shape in place of numbers, so that each way to write one gives the same. Any other
 *            value is refused.
 * Limits     EXPRESSION_DEPTH values on the stack; no loop, no jump, no call.
 * Source     DWARF 5, 2.5.
 */

#include <stdbool.h>
#include <stdint.h>

#define EXPRESSION_DEPTH 8u
#define EXPRESSION_NONE  0xffffu /* as a base: the value is a number */
#define EXPRESSION_CFA   0xfffeu /* as a base: the CFA */

struct expression {
	uint16_t base;  /* register number, EXPRESSION_NONE, EXPRESSION_CFA */
	uint16_t index; /* register number, EXPRESSION_NONE */
	uint16_t scale; /* of the index */
	bool is_deref;
	int64_t offset;
	int64_t add; /* after the dereference */
};

/* @starts_with_cfa: the CFA is on the stack. Return: 0, EXPRESSION_E_OTHER: another shape. */
#define EXPRESSION_E_OTHER 1
int expression_evaluate(const uint8_t *code, uint32_t bytes, bool starts_with_cfa,
			struct expression *ret_value);
/*
 * Matches the expression that linkers write for a lazy PLT: sp + offset, and 8 more from byte
 * @ret_pushed of each 16-byte entry on. Return: 0, EXPRESSION_E_OTHER.
 */
int expression_match_plt(const uint8_t *code, uint32_t bytes, int64_t *ret_offset,
			 uint8_t *ret_pushed);
