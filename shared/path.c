/* SPDX-License-Identifier: Apache-2.0 */
/* path - unpacks the packed paths of records */

#include "shared/path.h"

#include <string.h>

static bool component_is_plain(const char *name, size_t length)
{
	if (length == 0 || memchr(name, '/', length))
		return false;
	return !(name[0] == '.' && (length == 1 || (length == 2 && name[1] == '.')));
}

bool tm_path_is_plain(const char *packed, size_t bytes)
{
	for (size_t from = 0; from < bytes;) {
		size_t length = strnlen(packed + from, bytes - from);

		if (from + length == bytes || !component_is_plain(packed + from, length))
			return false;
		from += length + 1;
	}
	return true;
}

size_t tm_path_join(const char *packed, size_t bytes, char *out)
{
	size_t total = bytes > 0 && packed[bytes - 1] == '\0' ? bytes - 1 : bytes;

	/* The first component of the packed path is the last one of the path. */
	for (size_t from = 0; from < total;) {
		size_t length = strnlen(packed + from, total - from);
		size_t at = total - from - length;

		memcpy(out + at, packed + from, length);
		if (at > 0)
			out[at - 1] = '/';
		from += length + 1;
	}
	out[total] = '\0';
	return total;
}
