/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_java_lines - hostile line tables of HotSpot's methods
 */

#include <stdlib.h>
#include <string.h>

#include "symbolizer/names/java_lines.h"
#include "tests/fuzz/fuzz.h"

#define PLACES    600u  /* that are looked up, the first ones */
#define END_BYTES 16u   /* 0: two numbers, and then the end of the table */
#define LINE_MAX  65535 /* of a class file */

/* The same table in memory of its own, with an end behind it, and with more behind that. */
static uint8_t *with_end(const uint8_t *table, size_t bytes)
{
	uint8_t *copy = malloc(2 * bytes + END_BYTES);

	if (!copy)
		abort();
	memcpy(copy, table, bytes);
	memset(copy + bytes, 0, END_BYTES);
	memcpy(copy + bytes + END_BYTES, table, bytes);
	return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	const uint8_t *table = data + 1;
	uint8_t *ended;

	if (bytes-- < 1) /* the version comes before the table */
		return 0;
	ended = with_end(table, bytes);
	for (uint32_t place = 0; place <= PLACES; place++) {
		const uint32_t at = place < PLACES ? place : (1u << 19) - 1;
		const uint32_t whole = java_lines_find(table, bytes, data[0], at);
		const uint32_t end = java_lines_find(ended, bytes + END_BYTES, data[0], at);

		if (whole > LINE_MAX || end > LINE_MAX)
			abort();
		/* What follows the end means nothing. */
		if (java_lines_find(ended, 2 * bytes + END_BYTES, data[0], at) != end)
			abort();
	}
	free(ended);
	return 0;
}
