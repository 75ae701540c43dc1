/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * unwind_layout - lays an unwind table out in units of the BPF maps
 *
 * Shape      from shared/unwind_table.h to shared/unwind_map.h. Units are numbered from the first
 *            of the table: top, if any | starts | rules | pages | runtime, if any.
 * Owner      the view points into the caller's table, which must outlive the layout.
 * Trust      the table was checked; nothing beyond what the check covered is read.
 */

#include <stdint.h>

#include "shared/unwind_map.h"

struct unwind_layout {
	struct tm_unwind_table_view view;
	uint32_t top; /* this and the next two: units of that part */
	uint32_t starts;
	uint32_t rules;
	uint32_t units; /* all; 0 for a table without rows */
};

struct unwind_layout unwind_layout_of(const struct tm_unwind_table_view *view);
/* Return: the reference to the table if its first unit is @first. */
uint64_t unwind_layout_reference(const struct unwind_layout *layout, uint32_t first);
/* Writes all TM_UNWIND_UNIT_BYTES of unit @index, below layout->units. */
void unwind_layout_write(const struct unwind_layout *layout, uint32_t index, void *ret_unit);
