/* SPDX-License-Identifier: Apache-2.0 */
/* file_read - reads a whole part of a file, however many calls that takes */

#include "shared/file_read.h"

#include <errno.h>
#include <unistd.h>

int tm_file_read(int fd, void *ret_bytes, size_t bytes, uint64_t at)
{
	char *to = ret_bytes;

	while (bytes > 0) {
		ssize_t n = pread(fd, to, bytes, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		to += n;
		at += (uint64_t)n;
		bytes -= (size_t)n;
	}
	return 0;
}
