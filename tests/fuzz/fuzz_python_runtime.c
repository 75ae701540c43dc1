/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_python_runtime - hostile symbols, version, offsets and code of a CPython interpreter
 */

#include "tests/fuzz/compile_input.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	compile_input_python(data, bytes);
	return 0;
}
