/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python_lines_program - finds the lines of whole functions, for test_python_lines.py
 *
 * Reads functions from standard input: a head, then the line table. Writes 32 bits for each code
 * unit. All numbers are in the order of this machine.
 */

#include <stdio.h>

#include "symbolizer/names/python_lines.h"

#define TABLE_MAX (1u << 20)

struct head {
	uint32_t version;
	uint32_t first_line;
	uint32_t bytes; /* of the table */
	uint32_t units;
};

int main(void)
{
	static uint8_t table[TABLE_MAX];
	struct head head;

	while (fread(&head, sizeof(head), 1, stdin) == 1) {
		if (head.bytes > TABLE_MAX || fread(table, 1, head.bytes, stdin) != head.bytes)
			return 1;
		for (uint32_t place = 0; place < head.units; place++) {
			uint32_t line = python_lines_find(table, head.bytes, head.version, false,
							  head.first_line, place);

			if (fwrite(&line, sizeof(line), 1, stdout) != 1)
				return 1;
		}
	}
	return fflush(stdout) != 0;
}
