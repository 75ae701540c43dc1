/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * view_table - the table that tidemark-viewer writes for `tidemark top`
 *
 * Shape      lines of fields with a tab between them. Numbers are decimal; times are ns:
 *                tidemark-table 1
 *                sum KIND RECORDED TAKEN EXPORTED DROPPED TIME
 *                BY SELF-on TOTAL-on SELF-off TOTAL-off NAME DETAIL
 *                end
 *            KIND is on-CPU, then off-CPU; RECORDED is 0 or 1. BY is function, process or
 *            container. DETAIL is the file of a function, the program of a process, or nothing.
 * Rows       those of most time, by each of the four columns.
 * Trust      the command does not trust the viewer: a table is whole and of this shape, or refused.
 */

#define TM_VIEW_TABLE_FIRST      "tidemark-table\t1"
#define TM_VIEW_TABLE_NAME_BYTES 128u /* the NUL included */
#define TM_VIEW_TABLE_RANKED     100u /* rows by each column */
#define TM_VIEW_TABLE_ROWS       (3u * 4u * TM_VIEW_TABLE_RANKED)
#define TM_VIEW_TABLE_BYTES      (512u << 10)

_Static_assert(TM_VIEW_TABLE_ROWS *(2 * TM_VIEW_TABLE_NAME_BYTES + 4 * 21 + 16) + 1024 <=
		       TM_VIEW_TABLE_BYTES,
	       "the longest rows fit");
