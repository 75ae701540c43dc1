/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_cfi - a first byte says which section the rest is: .eh_frame or .debug_frame
 */

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/made.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	if (bytes)
		made_run(data[0] & 1 ? CFIMAKE_DEBUG_FRAME : CFIMAKE_EH_FRAME, data + 1, bytes - 1);
	return 0;
}
