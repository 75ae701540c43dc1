/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * function - disassembles one function from its start along all control-flow paths
 *
 * A call is taken to return. Where that leads to a contradiction, the call is one that does not
 * return, and the function is read again without the path behind it, FUNCTION_ATTEMPTS times at
 * most.
 */

#include "symbolizer/parser/x86/walk.h"

#define FUNCTION_ATTEMPTS 32u

/* Reads functions[@index] of the map. Return: 0, or an enum parser_status. */
int function_read(struct walk *walk, uint32_t index);
/* Reads the basic blocks of it that only an indirect jump reaches. Return: as above. */
int function_read_blocks(struct walk *walk, uint32_t index);
