/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * entry_points - where functions begin in code that nobody describes
 */

#include "symbolizer/parser/x86/disassembly.h"

/* Symbols of functions, .init and .fini, the entry point; and, as mere suspects, addresses that the
 * loader puts into data. Return: 0, or an enum parser_status. */
int entry_points_find(struct disassembly *heights);
