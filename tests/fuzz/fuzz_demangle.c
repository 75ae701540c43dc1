/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_demangle - any bytes as a mangled name of C++ or Rust: the text is short, clean and its own
 *
 * D's demangler has no bound of its own, so its names are left to a worker's limits.
 */

#include <stdlib.h>
#include <string.h>

#include "symbolizer/parser/demangle.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static char text[DEMANGLE_TEXT_BYTES], clean[DEMANGLE_TEXT_BYTES];
	char name[PARSER_NAME_MAX + 1];
	size_t length;

	if (bytes > PARSER_NAME_MAX)
		return 0;
	memcpy(name, data, bytes);
	name[bytes] = '\0';
	if (name[0] == '_' && name[1] == 'D')
		return 0;
	length = demangle_name(name, text);
	if (!length)
		return 0;
	if (length > PARSER_DISPLAY_MAX || strlen(text) != length ||
	    tm_utf8_clean(text, length, clean, sizeof(clean)) != length || strcmp(text, clean) != 0)
		abort();
	return 0;
}
