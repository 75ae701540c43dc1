/* SPDX-License-Identifier: Apache-2.0 */
/*
 * go_calls - the calls that a Go program's own table knows where its DWARF knows none
 */

#include "symbolizer/parser/dwarf/go_calls.h"

#include "symbolizer/parser/go/pclntab_calls.h"

static int add_place(struct line_result *lines, const struct pclntab_calls *calls, uint32_t place,
		     uint64_t vaddr)
{
	struct pclntab_call list[PCLNTAB_CALLS_MAX];
	uint32_t count = pclntab_calls_find(calls, vaddr, list);
	int r = 0;

	for (uint32_t i = 0; !r && i < count; i++) {
		const struct parser_call call = {
			.function = name_pool_add(&lines->names, list[i].function),
			.file = name_pool_add(&lines->names, list[i].file),
			.line = list[i].line,
			.start_line = list[i].start_line};

		r = line_result_add(lines, place, &call);
	}
	return r;
}

static int add_all(struct line_result *lines, const struct sections *sections,
		   const uint64_t *vaddrs)
{
	struct pclntab_calls calls;
	struct pclntab pclntab;
	int r = pclntab_open(&pclntab, sections);

	if (!r)
		r = pclntab_calls_open(&calls, &pclntab, sections);
	if (r || pclntab.version < PCLNTAB_1_16)
		return r;
	lines->flags |= PARSER_LINES_HAS_GO;
	for (uint32_t i = 0; !r && i < lines->place_count; i++)
		if (!lines->places[i].call_count)
			r = add_place(lines, &calls, i, vaddrs[i]);
	return r;
}

int go_calls_add(struct line_result *lines, const struct image_source *file, const uint64_t *vaddrs)
{
	struct sections sections;
	struct image image;
	int r = image_open(&image, file);

	if (!r)
		r = sections_open(&sections, &image, file);
	if (!r)
		r = add_all(lines, &sections, vaddrs);
	image_close(&image);
	/* Calls that DWARF knows remain. */
	if (r == PARSER_MALFORMED || r == PARSER_TOO_LARGE) {
		lines->flags |= PARSER_LINES_MALFORMED;
		return 0;
	}
	return r;
}
