/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * make_table - makes the smallest valid unwind table
 */

#include "shared/unwind_table.h"

struct table { /* one rule, one page of one row */
	struct tm_unwind_table header;
	uint32_t starts[2];
	struct tm_rule rule;
	struct tm_unwind_table_page page;
};

/* Its one row begins at @start. */
static inline struct table table_at(uint32_t start)
{
	struct table table = {
		.header = {.magic = TM_UNWIND_TABLE_MAGIC,
			   .pages = 1,
			   .rules = 1,
			   .rows = 1,
			   .frames = 1},
		.starts = {start},
		.rule = {.cfa = TM_CFA_SP, .ra = TM_SAVED_CFA, .cfa_offset = 8, .ra_offset = -8},
	};

	for (unsigned i = 1; i < TM_UNWIND_TABLE_PAGE; i++)
		table.page.offsets[i] = TM_UNWIND_TABLE_PAD;
	return table;
}
