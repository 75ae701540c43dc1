/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_heights - bytes from anywhere as the code of a program that describes none of it
 */

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/made.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	made_run_code(data, bytes);
	return 0;
}
