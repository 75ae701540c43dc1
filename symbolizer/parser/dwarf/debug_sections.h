/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * debug_sections - the DWARF sections of a file from which functions and lines are read
 *
 * Limits     DEBUG_SECTIONS_MAX bytes, inflated, of all together.
 */

#include "symbolizer/parser/dwarf/debug_section.h"

#define DEBUG_SECTIONS_MAX (1ull << 30)

enum debug_section_name {
	DEBUG_INFO,
	DEBUG_ABBREV,
	DEBUG_STR,
	DEBUG_LINE,
	DEBUG_LINE_STR,
	DEBUG_RANGES,
	DEBUG_RNGLISTS,
	DEBUG_ADDR,
	DEBUG_STR_OFFSETS,
	DEBUG_SECTION_COUNT,
};

struct debug_sections {
	struct debug_section list[DEBUG_SECTION_COUNT];
};

/* Nothing is read yet but headers. Return: 0; PARSER_TOO_LARGE: more than the limit;
 * PARSER_FAILED. */
int debug_sections_open(struct debug_sections *debug, const struct sections *sections);
/* Return: 0; PARSER_MALFORMED: a section could not be inflated and is empty; PARSER_FAILED: one
 * could not be read. */
int debug_sections_status(const struct debug_sections *debug);
void debug_sections_close(struct debug_sections *debug);
