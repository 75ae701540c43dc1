/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_demangle_check - a hostile parser's demangled names; if they pass, all can be read
 */

#include <stdlib.h>
#include <string.h>

#include "symbolizer/names/demangle_check.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct demangle_check checked;
	uint32_t count;

	if (bytes < 8)
		return 0;
	memcpy(&count, data, sizeof(count));
	if (demangle_check(&checked, data + 8, bytes - 8, count) < 0)
		return 0;
	for (uint32_t i = 0; i < count; i++)
		if (checked.places[i] != PARSER_NO_NAME &&
		    strlen(checked.texts + checked.places[i]) > PARSER_DISPLAY_MAX)
			abort();
	return 0;
}
