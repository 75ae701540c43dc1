/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * pointer - reads the encoded pointers of .eh_frame (DW_EH_PE_*)
 *
 * Absolute and PC-relative pointers only: compilers write no other base, and no indirect pointer,
 * for the start of a function.
 *
 * Source     Linux Standard Base 5, Core, 10.5.1.
 */

#include "symbolizer/parser/cursor.h"

#define POINTER_ABSOLUTE 0x00u
#define POINTER_OMITTED  0xffu

/*
 * @vaddr: the address of the cursor's place. Return: 0; POINTER_E_UNKNOWN: an encoding that is not
 * understood, and the cursor has not moved.
 */
#define POINTER_E_UNKNOWN 1
int pointer_read(struct cursor *cursor, uint8_t encoding, uint64_t vaddr, uint64_t *ret_value);
/* Reads a length in the same format, to which no base is added. Return: as above. */
int pointer_read_length(struct cursor *cursor, uint8_t encoding, uint64_t *ret_value);
/* Skips a pointer of any base. Return: as above. */
int pointer_skip(struct cursor *cursor, uint8_t encoding, uint64_t vaddr);
