/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * disassembly - finds stack heights by disassembly where code has no unwind information
 *
 * Functions begin at symbols, targets of calls, addresses that code or data take, and the entry
 * point. From there every control-flow path is followed. A function that is not understood, or that
 * contradicts itself (two heights at one place, a return that finds no return address), has no
 * rows.
 */

#include "symbolizer/parser/x86/code_map.h"

#define DISASSEMBLY_PASSES 4u /* over all functions, until no more are found not to return */

/* Fills the cells of a map to which all gaps were added. Return: 0, or an enum parser_status. */
int disassembly_run(struct code_map *map);
