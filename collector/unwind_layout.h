/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * unwind_layout - the rows of a file (shared/unwind_table.h) put into units of the kernel room (shared/unwind_map.h)
 *
 * Units      numbered from the first of the table: top, if any | starts | rules | pages.
 * Trust      the view was checked; nothing here reads beyond what the check covered.
 */

#include <stdint.h>

#include "shared/unwind_map.h"

struct unwind_layout {
	struct tm_unwind_table_view rows;
	uint32_t top; /* units of each part */
	uint32_t starts;
	uint32_t rules;
	uint32_t units; /* all; 0 for a table without rows */
};

struct unwind_layout unwind_layout_of(const struct tm_unwind_table_view *rows);
/* The word that says where the table is, once its first unit is @first. */
uint64_t unwind_layout_reference(const struct unwind_layout *layout, uint32_t first);
/* Writes unit @index, below layout->units, whole. */
void unwind_layout_write(const struct unwind_layout *layout, uint32_t index, void *ret_unit);
