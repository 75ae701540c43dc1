/* SPDX-License-Identifier: Apache-2.0 */
/* region - creates and opens sealed memfds that only one process can write */

#include "shared/region.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/cleanup.h"

/* memfd_create(2), Linux 6.3: not executable, and sealed so. Older headers lack the name. */
#define NOEXEC_SEAL 0x0008u

int tm_region_reserve(const char *name, size_t bytes)
{
	_cleanup_(tm_closep) int fd = -1;

	if (bytes == 0 || bytes > INT64_MAX)
		return -EINVAL;
	fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | NOEXEC_SEAL);
	if (fd < 0 && errno == EINVAL)
		fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)bytes) < 0)
		return -errno;
	if (fallocate(fd, 0, 0, (off_t)bytes) < 0)
		return -errno;
	return TM_TAKE_FD(fd);
}

int tm_region_map(struct tm_region *region, int fd, size_t bytes, int protection)
{
	void *addr = mmap(NULL, bytes, protection, MAP_SHARED | MAP_POPULATE, fd, 0);

	if (addr == MAP_FAILED)
		return -errno;
	if (madvise(addr, bytes, MADV_DONTFORK) < 0 || madvise(addr, bytes, MADV_DONTDUMP) < 0) {
		int error = -errno;

		(void)munmap(addr, bytes);
		return error;
	}
	*region = (struct tm_region){addr, bytes, fd};
	return 0;
}

/* The seals come before the size: a size without seals may still change. */
int tm_region_check(int fd, int seals, size_t min_bytes, size_t max_bytes, size_t *ret_bytes)
{
	struct stat st;
	int have = fcntl(fd, F_GET_SEALS);

	if (have < 0 || (have & seals) != seals)
		return -EBADMSG;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (st.st_size <= 0 || (uint64_t)st.st_size < min_bytes || (uint64_t)st.st_size > max_bytes)
		return -EBADMSG;
	*ret_bytes = (size_t)st.st_size;
	return 0;
}

static int create(struct tm_region *region, const char *name, size_t bytes, int protection,
		  int seals)
{
	_cleanup_(tm_closep) int fd = tm_region_reserve(name, bytes);
	int r = fd < 0 ? fd : tm_region_map(region, fd, bytes, protection);

	if (r < 0)
		return r;
	(void)TM_TAKE_FD(fd);
	if (seals && fcntl(region->fd, F_ADD_SEALS, seals) < 0) {
		r = -errno;
		tm_region_close(region);
	}
	return r;
}

int tm_region_create(struct tm_region *region, const char *name, size_t bytes)
{
	return create(region, name, bytes, PROT_READ | PROT_WRITE, TM_REGION_SEALS_OWN);
}

int tm_region_create_for_peer(struct tm_region *region, const char *name, size_t bytes)
{
	return create(region, name, bytes, PROT_READ, TM_REGION_SEALS_SIZE);
}

int tm_region_open(struct tm_region *region, int fd, size_t min_bytes, size_t max_bytes)
{
	size_t bytes = 0;
	int r = tm_region_check(fd, TM_REGION_SEALS_OWN, min_bytes, max_bytes, &bytes);

	return r < 0 ? r : tm_region_map(region, fd, bytes, PROT_READ);
}

int tm_region_begin_blob(struct tm_region *region, const char *name, size_t bytes)
{
	return create(region, name, bytes, PROT_READ | PROT_WRITE, /* seals= */ 0);
}

int tm_region_end_blob(struct tm_region *region)
{
	/* The kernel refuses this seal while there is a writable mapping. */
	(void)munmap(region->addr, region->bytes);
	region->addr = NULL;
	if (fcntl(region->fd, F_ADD_SEALS, TM_REGION_SEALS_BLOB) < 0)
		return -errno;
	return tm_region_map(region, region->fd, region->bytes, PROT_READ);
}

int tm_region_copy_blob(int fd, size_t min_bytes, size_t max_bytes, void **ret_copy,
			size_t *ret_bytes)
{
	_cleanup_(tm_freep) char *copy = NULL;
	size_t bytes = 0;
	int r = tm_region_check(fd, TM_REGION_SEALS_BLOB, min_bytes, max_bytes, &bytes);

	if (r < 0)
		return r;
	copy = malloc(bytes);
	if (!copy)
		return -ENOMEM;
	for (size_t done = 0; done < bytes;) {
		ssize_t n = pread(fd, copy + done, bytes - done, (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EBADMSG;
		done += (size_t)n;
	}
	*ret_copy = TM_TAKE_PTR(copy);
	*ret_bytes = bytes;
	return 0;
}

void tm_region_close(struct tm_region *region)
{
	if (region->addr != NULL)
		(void)munmap(region->addr, region->bytes);
	tm_close(region->fd);
	*region = TM_REGION_NULL;
}
