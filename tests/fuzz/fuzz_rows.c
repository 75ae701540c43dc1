/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_rows - bytes from anywhere as a table of rows; what passes its check can be searched
 */

#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/made.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	void *blob = malloc(bytes ? bytes : 1); /* of exactly the size, and aligned */

	if (blob) {
		memcpy(blob, data, bytes);
		made_find_everywhere(blob, bytes);
	}
	free(blob);
	return 0;
}
