/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path - packed names (components leaf first, each closed by a NUL) made into a path
 */

#include "symbolizer/base/path.h"

#include <string.h>

static size_t append(char *text, size_t at, const char *from, size_t bytes)
{
	if (bytes > PATH_TEXT_BYTES - 1 - at)
		bytes = PATH_TEXT_BYTES - 1 - at;
	memcpy(text + at, from, bytes);
	return at + bytes;
}

size_t path_unpack(const char *packed, size_t bytes, uint32_t flags, uint32_t cut,
		   char text[PATH_TEXT_BYTES])
{
	int slash = !(flags & TM_PATH_UNNAMED);
	size_t end = bytes;
	size_t at = 0;

	if (flags & cut)
		at = append(text, at, "...", 3);
	/* Backwards: the component that ends at `end` is the nearest to the root so far. */
	while (end > 0) {
		size_t last = packed[end - 1] == '\0' ? end - 1 : end;
		size_t start = last;

		while (start > 0 && packed[start - 1] != '\0')
			start--;
		if (slash)
			at = append(text, at, "/", 1);
		at = append(text, at, packed + start, last - start);
		end = start;
	}
	if (!at && slash)
		at = append(text, at, "/", 1);
	text[at] = '\0';
	return at;
}

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}
