/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug_sections - the DWARF sections of a file from which functions and lines are read
 */

#include "symbolizer/parser/dwarf/debug_sections.h"

#include "symbolizer/parser/parser.h"

static const char *const names[DEBUG_SECTION_COUNT] = {
	[DEBUG_INFO] = ".debug_info",
	[DEBUG_ABBREV] = ".debug_abbrev",
	[DEBUG_STR] = ".debug_str",
	[DEBUG_LINE] = ".debug_line",
	[DEBUG_LINE_STR] = ".debug_line_str",
	[DEBUG_RANGES] = ".debug_ranges",
	[DEBUG_RNGLISTS] = ".debug_rnglists",
	[DEBUG_ADDR] = ".debug_addr",
	[DEBUG_STR_OFFSETS] = ".debug_str_offsets",
};

int debug_sections_open(struct debug_sections *debug, const struct sections *sections)
{
	uint64_t bytes = 0;

	*debug = (struct debug_sections){0};
	for (uint32_t i = 0; i < DEBUG_SECTION_COUNT; i++) {
		struct stored_section stored;
		int r = stored_section_find(sections, names[i], &stored);

		if (r)
			return r;
		if (stored.bytes >= DEBUG_SECTIONS_MAX - bytes)
			return PARSER_TOO_LARGE;
		bytes += stored.bytes;
		debug_section_open(&debug->list[i], &stored, sections->source);
	}
	return 0;
}

int debug_sections_status(const struct debug_sections *debug)
{
	int status = 0;

	for (uint32_t i = 0; i < DEBUG_SECTION_COUNT; i++)
		if (debug->list[i].status && status != PARSER_FAILED)
			status = debug->list[i].status;
	return status;
}

void debug_sections_close(struct debug_sections *debug)
{
	for (uint32_t i = 0; i < DEBUG_SECTION_COUNT; i++)
		debug_section_close(&debug->list[i]);
}
