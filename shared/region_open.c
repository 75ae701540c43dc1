/* SPDX-License-Identifier: Apache-2.0 */
/* region_open - maps regions that the collector never does: blobs, and those that others read */

#include <fcntl.h>
#include <sys/mman.h>

#include "shared/region.h"

int tm_region_open_writable(struct tm_region *region, int fd, size_t bytes)
{
	size_t found = 0;
	int r = tm_region_check(fd, TM_REGION_SEALS_SIZE, bytes, bytes, &found);

	return r < 0 ? r : tm_region_map(region, fd, found, PROT_READ | PROT_WRITE);
}

int tm_region_open_blob(struct tm_region *region, int fd, size_t max_bytes)
{
	size_t bytes = 0;
	int r = tm_region_check(fd, TM_REGION_SEALS_BLOB, 1, max_bytes, &bytes);

	return r < 0 ? r : tm_region_map(region, fd, bytes, PROT_READ);
}
