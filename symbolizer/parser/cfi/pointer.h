/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * pointer - the encoded addresses of .eh_frame (DW_EH_PE_*)
 *
 * Source     Linux Standard Base 5, Core, 10.5.1. Relative to the place itself or to nothing; the other
 *            bases and indirect pointers do not occur where a function begins.
 */

#include "symbolizer/parser/cursor.h"

#define POINTER_ABSOLUTE 0x00u
#define POINTER_OMITTED  0xffu

/*
 * @vaddr: where the cursor's place is in memory. Return: 0, or POINTER_E_UNKNOWN: an encoding that is
 * not understood, the cursor stands where it stood.
 */
#define POINTER_E_UNKNOWN 1
int pointer_read(struct cursor *cursor, uint8_t encoding, uint64_t vaddr, uint64_t *ret_value);
/* A length in the same format: without a base. Return: as above. */
int pointer_read_length(struct cursor *cursor, uint8_t encoding, uint64_t *ret_value);
/* Passes over a pointer of any base. Return: as above. */
int pointer_skip(struct cursor *cursor, uint8_t encoding, uint64_t vaddr);
