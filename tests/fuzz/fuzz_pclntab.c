/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_pclntab - bytes from anywhere as a Go file's pclntab
 */

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/made.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	made_run(CFIMAKE_PCLNTAB, data, bytes);
	return 0;
}
