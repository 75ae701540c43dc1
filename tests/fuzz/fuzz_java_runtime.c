/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_java_runtime - hostile symbols, relocations, tables and initializer of a HotSpot
 */

#include "tests/fuzz/compile_input.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	compile_input_java(data, bytes);
	return 0;
}
