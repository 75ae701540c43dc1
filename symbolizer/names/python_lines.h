/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * python_lines - finds the source line of a place in a function of CPython by its line table
 *
 * Shape      three encodings, by version: pairs of increments (co_lnotab, to 3.9), pairs of a range
 *            and an increment (co_linetable of 3.10, PEP 626), entries of positions (3.11 on, PEP
 *            657). Columns and last lines are skipped.
 * Trust      the table is hostile bytes and may be cut anywhere. What is not in it has no line.
 * Source     Objects/lnotab_notes.txt (3.9, 3.10) and InternalDocs/code_objects.md of CPython.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * @version: 0x030b is 3.11. @cut: the table goes on behind what is there. @place: code units from
 * the beginning of the function. Return: the line; 0: it has none, or is not known.
 */
uint32_t python_lines_find(const uint8_t *table, size_t bytes, uint32_t version, bool cut,
			   uint32_t first_line, uint32_t place);
