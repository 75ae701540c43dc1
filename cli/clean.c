/* SPDX-License-Identifier: Apache-2.0 */
/* clean - text of another program, made fit for a terminal in its own place */

#include "cli/clean.h"

#include <string.h>

#include "shared/utf8.h"

void clean_text(char *text, size_t bytes)
{
	char copy[CLEAN_BYTES_MAX];
	size_t length;

	if (bytes == 0)
		return;
	length = strnlen(text, bytes < sizeof(copy) ? bytes : sizeof(copy));
	memcpy(copy, text, length);
	(void)tm_utf8_clean(copy, length, text, bytes);
}
