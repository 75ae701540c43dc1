/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * value_form - reads the value of an attribute as its form says
 */

#include "symbolizer/parser/cursor.h"

/* What the size of a value depends on: the header of its unit. */
struct value_sizes {
	uint8_t version;
	uint8_t offset;  /* 4 or 8 */
	uint8_t address; /* 4 or 8 */
};

/* @number: of a number, itself; of a reference, a string elsewhere or a list, the offset or index;
 * of a string in place, its offset behind the cursor's @begin; of a block, 0. */
struct attribute_value {
	uint64_t number;
	uint16_t form; /* 0: there is no such value */
};

/* The bytes of every value of that form; -1: they vary, or no such form is known. */
int32_t value_form_bytes(uint16_t form, const struct value_sizes *sizes);
/* An unknown form sets the cursor past its end. @implicit: of DW_FORM_implicit_const. */
struct attribute_value value_form_read(struct cursor *cursor, uint16_t form,
				       const struct value_sizes *sizes, int64_t implicit,
				       const uint8_t *begin);
