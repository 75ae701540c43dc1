/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_pclntab - a hostile pclntab of a Go program
 */

#include "tests/fuzz/compile_input.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	compile_input_section(CFI_BUILDER_PCLNTAB, data, bytes);
	return 0;
}
