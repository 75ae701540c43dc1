/* SPDX-License-Identifier: Apache-2.0 */
/* pathname - turns "ls\0bin\0usr\0" into "usr/bin/ls" */

#include "collector/pathname.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static bool component_ok(const char *name, size_t length)
{
	if (length == 0 || memchr(name, '/', length))
		return false;
	return !(name[0] == '.' && (length == 1 || (length == 2 && name[1] == '.')));
}

int pathname_join(const char *packed, size_t bytes, char *out)
{
	size_t at = bytes; /* written from the end, so the root comes first */

	out[bytes] = '\0';
	for (size_t from = 0; from < bytes;) {
		const char *end = memchr(packed + from, '\0', bytes - from);
		size_t length;

		if (!end)
			return -EBADMSG;
		length = (size_t)(end - (packed + from));
		if (!component_ok(packed + from, length))
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
