/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_unwind_table - a hostile unwind table; if it passes its check, it can be searched
 */

#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/compile_input.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	void *blob = malloc(bytes ? bytes : 1); /* of exactly this size, and aligned */

	if (blob) {
		memcpy(blob, data, bytes);
		compile_input_check_table(blob, bytes);
	}
	free(blob);
	return 0;
}
