/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_ksyms - a hostile collector's table of kernel symbols
 */

#include <stdlib.h>
#include <string.h>

#include "symbolizer/base/ksyms.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct ksyms kernel = KSYMS_NULL;
	size_t total = 0;

	if (ksyms_parse(&kernel, data, bytes) < 0) {
		if (ksyms_symbol(&kernel, 0, 0))
			abort();
		return 0;
	}
	for (uint64_t module = 0; module <= kernel.module_count; module++) {
		const char *name = ksyms_module(&kernel, module);

		total += name ? strlen(name) : 0;
		for (uint64_t offset = 1; offset; offset <<= 1) {
			name = ksyms_symbol(&kernel, module, offset);
			total += name ? strlen(name) : 0;
		}
	}
	return total > SIZE_MAX / 2;
}
