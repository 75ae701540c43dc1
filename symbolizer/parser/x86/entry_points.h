/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * entry_points - finds where functions begin in code without unwind information
 */

#include "symbolizer/parser/x86/code_map.h"

#define ENTRY_POINTS_TABLE_MAX (32u << 20) /* bytes of a symbol or relocation table that is read */

/* Adds function symbols, .init, .fini and the entry point as functions, and the addresses that the
 * loader relocates in data as suspects. Return: 0, or an enum parser_status. */
int entry_points_find(struct code_map *map);
