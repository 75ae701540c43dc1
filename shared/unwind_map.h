/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once
/*
 * unwind_map - layout of an unwind table (shared/unwind_table.h) in the BPF maps
 *
 * Shape      units of TM_UNWIND_UNIT_BYTES in chunks (one BPF array each) of TM_UNWIND_UNITS_CHUNK,
 *            numbered through all chunks. A table is one run of units: top | starts | rules |
 *            pages | runtime, if it has one. `starts` has the first offset of each page,
 *            TM_UNWIND_UNIT_STARTS per unit; `top` exists only where there is more than one unit
 *            of starts, and has the first offset of each of them. Unused places of `top` and
 *            `starts` hold TM_UNWIND_UNIT_SPARE,
 *            above every offset that is looked up. Rules and pages are copied unchanged.
 * Reference  a 64-bit value says where a table is; 0: none yet, TM_UNWIND_MAP_EMPTY: the file has
 *            no rows. It is stored with the file's number (tm_file_state), that of the vDSO in a
 *            variable.
 * Writer     the collector, before it stores the reference. Units are written again only once every
 *            BPF program that may have read a reference to them has ended (HACKING, The watermark).
 */

#include "shared/unwind_table.h"

#define TM_UNWIND_UNIT_BYTES    1024u
#define TM_UNWIND_UNITS_CHUNK   1024u /* a power of two */
#define TM_UNWIND_CHUNKS_MAX    256u  /* a power of two */
#define TM_UNWIND_UNIT_STARTS   (TM_UNWIND_UNIT_BYTES / 4)
#define TM_UNWIND_UNIT_RULES    (TM_UNWIND_UNIT_BYTES / 16)
#define TM_UNWIND_UNIT_SPARE    0xffffffffu
#define TM_UNWIND_MAP_TOP_STEPS 7 /* log2 of the most units of starts, 128 */

_Static_assert(sizeof(struct tm_unwind_table_page) == TM_UNWIND_UNIT_BYTES, "a page is a unit");
_Static_assert(TM_UNWIND_TABLE_PAGES_MAX / TM_UNWIND_UNIT_STARTS == 1u << TM_UNWIND_MAP_TOP_STEPS,
	       "one unit of top");
_Static_assert(1u << TM_UNWIND_TABLE_PAGE_STEPS == TM_UNWIND_UNIT_STARTS,
	       "starts are searched as a page is");

/* A reference: 0..22 first unit + 1, 23 it has a runtime, 24..31 units of starts, 32..47 of rules,
 * 48..62 pages - 1. */
#define TM_UNWIND_MAP_EMPTY       (1ull << 63)
#define TM_UNWIND_MAP_RUNTIME     (1ull << 23)
#define TM_UNWIND_MAP_FIRST(ref)  ((0x7fffffu & (uint32_t)(ref)) - 1)
#define TM_UNWIND_MAP_STARTS(ref) ((uint32_t)((ref) >> 24) & 0xffu)
#define TM_UNWIND_MAP_RULES(ref)  ((uint32_t)((ref) >> 32) & 0xffffu)
#define TM_UNWIND_MAP_PAGES(ref)  (((uint32_t)((ref) >> 48) & 0x7fffu) + 1)
#define TM_UNWIND_MAP_REFERENCE(first, starts, rules, pages)                            \
	((uint64_t)((first) + 1) | (uint64_t)(starts) << 24 | (uint64_t)(rules) << 32 | \
	 (uint64_t)((pages)-1) << 48)
/* All units of the table. */
#define TM_UNWIND_MAP_UNITS(ref)                                                                  \
	((TM_UNWIND_MAP_STARTS(ref) > 1) + TM_UNWIND_MAP_STARTS(ref) + TM_UNWIND_MAP_RULES(ref) + \
	 TM_UNWIND_MAP_PAGES(ref) + !!((ref)&TM_UNWIND_MAP_RUNTIME))

/* Stands for the vDSO where a file number is expected. */
#define TM_UNWIND_MAP_VDSO 0xfffffffeu
