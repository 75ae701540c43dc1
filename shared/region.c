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

#define SEALS_SIZE  (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
#define SEALS_OWN   (SEALS_SIZE | F_SEAL_FUTURE_WRITE)
#define SEALS_BLOB  (SEALS_SIZE | F_SEAL_WRITE)

/* A memfd with every page allocated. Return: descriptor, -errno. */
static int reserve(const char *name, size_t bytes)
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

/* Maps all of @fd; the mapping is neither inherited by children nor part of a core file. */
static int map(int fd, size_t bytes, int protection, void **ret_addr)
{
	void *addr = mmap(NULL, bytes, protection, MAP_SHARED | MAP_POPULATE, fd, 0);

	if (addr == MAP_FAILED)
		return -errno;
	if (madvise(addr, bytes, MADV_DONTFORK) < 0 || madvise(addr, bytes, MADV_DONTDUMP) < 0) {
		int error = -errno;

		(void)munmap(addr, bytes);
		return error;
	}
	*ret_addr = addr;
	return 0;
}

/* The seals come before the size: a size without seals may still change. */
static int check(int fd, int seals, size_t min_bytes, size_t max_bytes, size_t *ret_bytes)
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
	_cleanup_(tm_closep) int fd = -1;
	void *addr = NULL;
	int r;

	fd = reserve(name, bytes);
	if (fd < 0)
		return fd;
	r = map(fd, bytes, protection, &addr);
	if (r < 0)
		return r;
	if (fcntl(fd, F_ADD_SEALS, seals) < 0) {
		r = -errno;
		(void)munmap(addr, bytes);
		return r;
	}
	*region = (struct tm_region){addr, bytes, TM_TAKE_FD(fd)};
	return 0;
}

static int open_checked(struct tm_region *region, int fd, size_t bytes, int protection)
{
	void *addr = NULL;
	int r = map(fd, bytes, protection, &addr);

	if (r < 0)
		return r;
	*region = (struct tm_region){addr, bytes, fd};
	return 0;
}

int tm_region_create(struct tm_region *region, const char *name, size_t bytes)
{
	return create(region, name, bytes, PROT_READ | PROT_WRITE, SEALS_OWN);
}

int tm_region_create_for_peer(struct tm_region *region, const char *name, size_t bytes)
{
	return create(region, name, bytes, PROT_READ, SEALS_SIZE);
}

int tm_region_open(struct tm_region *region, int fd, size_t min_bytes, size_t max_bytes)
{
	size_t bytes = 0;
	int r = check(fd, SEALS_OWN, min_bytes, max_bytes, &bytes);

	return r < 0 ? r : open_checked(region, fd, bytes, PROT_READ);
}

int tm_region_open_writable(struct tm_region *region, int fd, size_t bytes)
{
	size_t found = 0;
	int r = check(fd, SEALS_SIZE, bytes, bytes, &found);

	return r < 0 ? r : open_checked(region, fd, found, PROT_READ | PROT_WRITE);
}

int tm_region_begin_blob(struct tm_region *region, const char *name, size_t bytes)
{
	_cleanup_(tm_closep) int fd = reserve(name, bytes);
	int r = fd < 0 ? fd : open_checked(region, fd, bytes, PROT_READ | PROT_WRITE);

	if (r == 0)
		(void)TM_TAKE_FD(fd);
	return r;
}

int tm_region_end_blob(struct tm_region *region)
{
	void *addr = NULL;
	int r;

	/* The kernel refuses this seal while there is a writable mapping. */
	(void)munmap(region->addr, region->bytes);
	region->addr = NULL;
	if (fcntl(region->fd, F_ADD_SEALS, SEALS_BLOB) < 0)
		return -errno;
	r = map(region->fd, region->bytes, PROT_READ, &addr);
	region->addr = addr;
	return r;
}

int tm_region_open_blob(struct tm_region *region, int fd, size_t max_bytes)
{
	size_t bytes = 0;
	int r = check(fd, SEALS_BLOB, 1, max_bytes, &bytes);

	return r < 0 ? r : open_checked(region, fd, bytes, PROT_READ);
}

int tm_region_copy_blob(int fd, size_t min_bytes, size_t max_bytes, void **ret_copy,
			size_t *ret_bytes)
{
	_cleanup_(tm_freep) char *copy = NULL;
	size_t bytes = 0;
	int r = check(fd, SEALS_BLOB, min_bytes, max_bytes, &bytes);

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

int tm_region_seal_blob(const char *name, const void *bytes, size_t count)
{
	_cleanup_(tm_closep) int fd = -1;
	const char *from = bytes;
	size_t done = 0;

	fd = reserve(name, count);
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
	if (fcntl(fd, F_ADD_SEALS, SEALS_BLOB) < 0)
		return -errno;
	return TM_TAKE_FD(fd);
}

void tm_region_close(struct tm_region *region)
{
	if (region->addr != NULL)
		(void)munmap(region->addr, region->bytes);
	tm_close(region->fd);
	*region = TM_REGION_NULL;
}
