/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump - prints a file's unwind table as text
 *
 * usage: dump FILE [OFFSET...]   all rows, or the rule at each file offset
 */

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "shared/cleanup.h"
#include "tests/oracle/compiled.h"
#include "tests/unit/parser/rule_text.h"

static void dump_page(const struct tm_unwind_table_view *view, uint32_t number)
{
	const struct tm_unwind_table_page *page = &view->pages[number];
	char text[RULE_TEXT_BYTES];

	for (uint32_t i = 0; i < TM_UNWIND_TABLE_PAGE && page->offsets[i] != TM_UNWIND_TABLE_PAD;
	     i++)
		(void)printf("0x%08x  %s\n", view->starts[number] + page->offsets[i],
			     rule_text(&view->rules[page->rules[i]], text));
}

static void dump_all(const struct tm_unwind_table_view *view)
{
	(void)printf("%u rows, %u rules, %u pages, %u functions, %u refused%s\n",
		     view->header->rows, view->header->rules, view->header->pages,
		     view->header->frames, view->header->refused,
		     view->header->flags & TM_UNWIND_TABLE_CUT ? ", cut" : "");
	for (uint32_t i = 0; i < view->header->pages; i++)
		dump_page(view, i);
}

int main(int argc, char **argv)
{
	_cleanup_(tm_closep) int fd = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	struct compiled compiled;
	char text[RULE_TEXT_BYTES];
	int r;

	if (fd < 0)
		return 2;
	r = compiled_open(&compiled, fd);
	if (r) {
		(void)printf("status %d\n", r);
		return 1;
	}
	if (argc == 2)
		dump_all(&compiled.view);
	for (int i = 2; i < argc; i++) {
		uint64_t offset = strtoull(argv[i], NULL, 0);

		(void)printf("0x%08" PRIx64 "  %s\n", offset,
			     rule_text(tm_unwind_table_find(&compiled.view, offset), text));
	}
	compiled_close(&compiled);
	return 0;
}
