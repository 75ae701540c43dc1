/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_result_check - a hostile parser's result; if it passes its check, all of it can be read
 */

#include <stdlib.h>
#include <string.h>

#include "symbolizer/names/result_check.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct result_check checked;
	uint32_t count;
	size_t total = 0;

	if (bytes < sizeof(count))
		return 0;
	memcpy(&count, data, sizeof(count));
	if (result_check_check(&checked, data + 8, bytes >= 8 ? bytes - 8 : 0, count) < 0)
		return 0;
	for (uint32_t i = 0; i < count; i++)
		if (checked.symbols[i].name != PARSER_NO_NAME)
			total += strlen(checked.names + checked.symbols[i].name);
	if (count && total / count > checked.header->name_bytes)
		abort();
	return 0;
}
