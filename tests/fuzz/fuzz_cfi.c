/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_cfi - hostile .eh_frame or .debug_frame, as the first byte says
 */

#include "tests/fuzz/compile_input.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	if (bytes)
		compile_input_section(data[0] & 1 ? CFI_BUILDER_DEBUG_FRAME : CFI_BUILDER_EH_FRAME,
				      data + 1, bytes - 1);
	return 0;
}
