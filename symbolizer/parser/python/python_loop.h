/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * python_loop - where the code of CPython's evaluation loop lies in a file
 *
 * Compilers move the rare parts of a function away from it, into a range with unwind information of
 * its own. Such a part has no symbol in a stripped file. Jumps tell it: the loop jumps into it, and
 * it jumps into the midst of the loop, which no other function does.
 *
 * Limits     PYTHON_LOOP_MAX. PYTHON_LOOP_RANGES_MAX ranges that the loop jumps into are looked at;
 *            parts beyond TM_RUNTIME_LOOPS_MAX are left out.
 */

#include "shared/runtime.h"
#include "symbolizer/parser/code_ranges.h"
#include "symbolizer/parser/python/python_symbols.h"

/* Bytes. A smaller loop is none, but from PYTHON_LOOP_CALLS on: that version can be built so that
 * only the start of it is left, and each instruction is a function that jumps to the next one. */
#define PYTHON_LOOP_MIN        4096u
#define PYTHON_LOOP_CALLS      0x030eu
#define PYTHON_LOOP_MAX        (1u << 20)
#define PYTHON_LOOP_RANGES_MAX 16u

/* @ret_loops: TM_RUNTIME_LOOPS_MAX of them; the first one is 0, 0 if there is no loop. @ret_away:
 * address - offset of the loop. @ranges: sorted. Return: 0, or an enum parser_status. */
int python_loop_find(struct tm_runtime_code *ret_loops, uint64_t *ret_away,
		     const struct sections *sections, const struct code_ranges *ranges,
		     const struct named_symbol *symbol);
