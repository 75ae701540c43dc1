/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path - packed names (components leaf first, each closed by a NUL) made into a path
 */

#include "symbolizer/base/path.h"

#include <stdbool.h>
#include <string.h>

#include "shared/path.h"

size_t path_unpack(const char *packed, size_t bytes, uint32_t flags, uint32_t cut,
		   char text[PATH_TEXT_BYTES])
{
	bool absolute = !(flags & TM_PATH_UNNAMED);
	size_t at = 0;

	if (bytes > TM_PATH_MAX)
		bytes = TM_PATH_MAX;
	if (flags & cut)
		at = (size_t)(stpcpy(text, "...") - text);
	if (absolute && (bytes > 0 || at == 0))
		text[at++] = '/';
	return at + tm_path_join(packed, bytes, text + at);
}

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}
