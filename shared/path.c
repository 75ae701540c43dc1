/* SPDX-License-Identifier: Apache-2.0 */
/* path - packed components into a path, the root end first */

#include "shared/path.h"

#include <errno.h>
#include <string.h>

static int component_is_good(const char *name, size_t length)
{
	if (length == 0 || memchr(name, '/', length))
		return 0;
	return !(name[0] == '.' && (length == 1 || (length == 2 && name[1] == '.')));
}

int tm_path_join(const char *packed, size_t bytes, char *out)
{
	size_t at = bytes; /* written from the end, so the root comes first */

	out[bytes] = '\0';
	for (size_t from = 0; from < bytes;) {
		const char *end = memchr(packed + from, '\0', bytes - from);
		size_t length = end ? (size_t)(end - (packed + from)) : 0;

		if (!component_is_good(packed + from, length))
			return -EBADMSG;
		if (from > 0)
			out[--at] = '/';
		at -= length;
		memcpy(out + at, packed + from, length);
		from += length + 1;
	}
	memmove(out, out + at, bytes - at + 1);
	return (int)(bytes - at);
}
