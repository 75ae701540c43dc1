/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * expression - what a DWARF expression comes to, as far as a rule can say it
 *
 * Shape      [ *( base + 8 * index + offset ) + ] add: the expression is run on such forms in place of
 *            numbers, so that each way to write one comes to the same. What is none is refused.
 * Limits     EXPRESSION_DEPTH forms at once; no loop, no jump, no call.
 * Source     DWARF 5, 2.5.
 */

#include <stdint.h>

#define EXPRESSION_DEPTH   8u
#define EXPRESSION_NOTHING 0xffffu /* as a base: none, so the form is a number */
#define EXPRESSION_CFA     0xfffeu /* as a base: the CFA */

struct expression {
	uint16_t base;  /* register number, EXPRESSION_NOTHING, EXPRESSION_CFA */
	uint16_t index; /* register number, EXPRESSION_NOTHING */
	uint16_t deref;
	uint16_t scale; /* of the index */
	int64_t offset;
	int64_t add; /* of a deref */
};

/* @starts_with_cfa: the CFA is on the stack. Return: 0, EXPRESSION_E_OTHER: no such form. */
#define EXPRESSION_E_OTHER 1
int expression_of(const uint8_t *code, uint32_t bytes, int starts_with_cfa,
		  struct expression *ret_form);
/*
 * The expression that linkers write for a lazy PLT: sp + offset, and a word more from a place within
 * each 16 bytes on. Return: 0, EXPRESSION_E_OTHER.
 */
int expression_of_plt(const uint8_t *code, uint32_t bytes, int64_t *ret_offset,
		      uint8_t *ret_pushed);
