/* SPDX-License-Identifier: Apache-2.0 */
/* region_seal - makes a blob of bytes that are there already */

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "shared/region.h"

int tm_region_seal_blob(const char *name, const void *bytes, size_t count)
{
	_cleanup_(tm_closep) int fd = -1;
	const char *from = bytes;
	size_t done = 0;

	fd = tm_region_reserve(name, count);
	if (fd < 0)
		return fd;
	while (done < count) {
		ssize_t n = pwrite(fd, from + done, count - done, (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		done += (size_t)n;
	}
	if (fcntl(fd, F_ADD_SEALS, TM_REGION_SEALS_BLOB) < 0)
		return -errno;
	return TM_TAKE_FD(fd);
}
