/* SPDX-License-Identifier: Apache-2.0 */
/*
 * root - whether the outermost frame of a chain of frame pointers can be a root
 */

#include "symbolizer/root.h"

#include <string.h>

/* What glibc, musl and the dynamic linker call the code that nobody calls. */
static const char *const starts[] = {
	"_start",  "_dlstart", "_dl_start_user", "start_thread",
	"__clone", "clone",    "__clone3",       "clone3",
};

unsigned root_stop(const char *name, int in_executable)
{
	if (in_executable)
		return TM_STOP_NONE;
	for (unsigned i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (strcmp(name, starts[i]) == 0)
			return TM_STOP_NONE;
	return TM_STOP_FRAME_POINTER;
}
