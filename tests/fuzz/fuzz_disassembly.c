/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_disassembly - hostile machine code without any unwind information
 */

#include "tests/fuzz/compile_input.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	compile_input_code(data, bytes);
	return 0;
}
