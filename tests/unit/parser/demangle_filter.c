/* SPDX-License-Identifier: Apache-2.0 */
/*
 * demangle_filter - prints each line of its input as the parser displays that name
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/parser/demangle.h"

int main(void)
{
	static char text[DEMANGLE_TEXT_BYTES];
	char *line = NULL;
	size_t capacity = 0;

	while (getline(&line, &capacity, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		(void)puts(demangle_name(line, text) ? text : line);
	}
	free(line);
	return 0;
}
