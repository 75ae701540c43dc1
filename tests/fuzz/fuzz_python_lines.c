/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_python_lines - hostile line tables of CPython's functions
 */

#include <stdlib.h>
#include <string.h>

#include "symbolizer/names/python_lines.h"
#include "tests/fuzz/fuzz.h"

#define PLACES 600u /* that are looked up, the first ones */

struct head { /* before the table */
	uint16_t version;
	uint16_t cut_bytes; /* how much of it is there the second time */
	uint32_t first_line;
};

static void check(const struct head *head, const uint8_t *table, size_t bytes, uint32_t place)
{
	const size_t cut = head->cut_bytes < bytes ? head->cut_bytes : bytes;
	const uint32_t whole =
		python_lines_find(table, bytes, head->version, false, head->first_line, place);
	const uint32_t part =
		python_lines_find(table, cut, head->version, true, head->first_line, place);

	/* The head of a table says what the whole says, or nothing. */
	if (part != 0 && part != whole)
		abort();
	if (whole > INT32_MAX)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct head head;

	if (bytes < sizeof(head))
		return 0;
	memcpy(&head, data, sizeof(head));
	for (uint32_t place = 0; place < PLACES; place++)
		check(&head, data + sizeof(head), bytes - sizeof(head), place);
	check(&head, data + sizeof(head), bytes - sizeof(head), (1u << 19) - 1);
	return 0;
}
