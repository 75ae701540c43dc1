/* SPDX-License-Identifier: Apache-2.0 */
/*
 * made - bytes from anywhere as one part of a small ELF file, through the compiler of rows
 */

#include "tests/fuzz/made.h"

#include <stdlib.h>
#include <string.h>

#include "shared/unwind_table.h"

void made_find_everywhere(const void *blob, size_t bytes)
{
	struct tm_unwind_table_view view;
	const struct tm_rule *end;

	if (tm_unwind_table_check(&view, blob, bytes) < 0)
		return;
	end = view.rules + view.header->rules;
	for (uint32_t i = 0; i < view.header->pages; i++) {
		uint32_t page = view.header->pages > 64 ? i * 977 % view.header->pages : i;
		const struct tm_rule *rule = tm_unwind_table_find(&view, view.starts[page]);

		if (rule != &view.rules[view.pages[page].rules[0]])
			abort(); /* a page's first row is found where it begins */
		rule = tm_unwind_table_find(&view, (uint64_t)view.starts[page] + 0x123);
		if (rule < view.rules || rule >= end)
			abort();
	}
	if (view.header->pages && tm_unwind_table_find(&view, UINT64_MAX) >= end)
		abort();
}

static void run(struct cfimake *make)
{
	struct symbolize answer;
	struct tm_unwind_table_view view;

	if (cfimake_compile(make, &answer) == PARSER_OK) {
		if (tm_unwind_table_check(&view, answer.blob, answer.bytes) < 0)
			abort(); /* what we make ourselves passes */
		made_find_everywhere(answer.blob, answer.bytes);
	}
	symbolize_free(&answer);
}

void made_run(enum cfimake_part part, const uint8_t *data, size_t bytes)
{
	static struct cfimake make;

	cfimake_open(&make);
	(void)cfimake_put(&make, part, data, bytes < CFIMAKE_PART ? (uint32_t)bytes : CFIMAKE_PART);
	run(&make);
}

void made_run_code(const uint8_t *data, size_t bytes)
{
	static const uint8_t caller[] = {0x55, 0xe8, 10, 0, 0, 0, 0x5d, 0xc3};
	static struct cfimake make;
	const size_t room = CFIMAKE_DATA - CFIMAKE_TEXT - 16;

	bytes = bytes < room ? bytes : room;
	cfimake_open(&make);
	make.header->e_entry = CFIMAKE_VADDR;
	memcpy(make.file + CFIMAKE_TEXT, caller, sizeof(caller));
	if (bytes)
		memcpy(make.file + CFIMAKE_TEXT + 16, data, bytes);
	make.segments[0].p_filesz = 16 + bytes; /* it is over where it is over */
	run(&make);
}
