/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path - converts packed names (components leaf first, each ended by a NUL) to a path
 */

#include "symbolizer/base/path.h"

#include <stdbool.h>
#include <string.h>

#include "shared/path.h"

size_t path_unpack(const char *packed, size_t bytes, uint32_t flags, uint32_t cut,
		   char text[PATH_TEXT_BYTES])
{
	bool absolute = !(flags & TM_PATH_UNNAMED);
	size_t length = 0;

	if (bytes > TM_PATH_MAX)
		bytes = TM_PATH_MAX;
	if (flags & cut)
		length = (size_t)(stpcpy(text, "...") - text);
	if (absolute && (bytes > 0 || length == 0))
		text[length++] = '/';
	return length + tm_path_join(packed, bytes, text + length);
}

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}
