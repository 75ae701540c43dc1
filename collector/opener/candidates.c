/* SPDX-License-Identifier: Apache-2.0 */
/* candidates - opens a sampled file by one of several paths */

#include "collector/opener/candidates.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "shared/cleanup.h"

#define PROC_PATH_BYTES 64

int candidates_locate(int root, const char *path, uint64_t flags, uint64_t resolve)
{
	const struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | flags,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | resolve,
	};
	long fd = syscall(SYS_openat2, root, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

static int require_regular(int fd)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &st) < 0)
		return -errno;
	return S_ISREG(st.stx_mode) ? 0 : -EMEDIUMTYPE;
}

int candidates_reopen(int located)
{
	char path[PROC_PATH_BYTES];
	_cleanup_(tm_closep) int fd = -1;
	int r = require_regular(located);

	if (r < 0)
		return r;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", located);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = require_regular(fd);
	return r < 0 ? r : TM_TAKE_FD(fd);
}

int candidates_root(const char *process, bool other, const struct opener_request *request)
{
	char path[PROC_PATH_BYTES];
	struct stat st;
	int root;

	(void)snprintf(path, sizeof(path), "/proc/%s/ns/mnt", process);
	if (other && (stat(path, &st) < 0 || st.st_ino != request->mnt_ns))
		return -ESRCH;
	(void)snprintf(path, sizeof(path), "/proc/%s/root", process);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return root < 0 ? -errno : root;
}

/* @other: not the sampled process, so only if it is in the same mount namespace. */
static int open_in_root(const char *process, bool other, const struct opener_request *request)
{
	_cleanup_(tm_closep) int root = -ESRCH;
	_cleanup_(tm_closep) int located = -1;

	if (request->path_bytes)
		root = candidates_root(process, other, request);
	if (root < 0)
		return root;
	/* A path made by the kernel has no symbolic link in it; if there is one now, it leads
	 * elsewhere. */
	located = candidates_locate(root, request->path, O_NOFOLLOW, RESOLVE_NO_SYMLINKS);
	return located < 0 ? located : candidates_reopen(located);
}

static int open_thread_root(const struct opener_request *request)
{
	char thread[16];

	(void)snprintf(thread, sizeof(thread), "%u", request->own_tid);
	return request->own_tid ? open_in_root(thread, false, request) : -ESRCH;
}

static int open_map_files(const struct opener_request *request)
{
	char path[PROC_PATH_BYTES];
	_cleanup_(tm_closep) int located = -1;

	if (!request->own_tid || request->vm_start >= request->vm_end)
		return -ESRCH;
	(void)snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", request->own_tid,
		       (unsigned long long)request->vm_start, (unsigned long long)request->vm_end);
	located = open(path, O_PATH | O_CLOEXEC);
	return located < 0 ? -errno : candidates_reopen(located);
}

enum tm_no_file candidates_reason(int error)
{
	switch (-error) {
	case EMEDIUMTYPE:
		return TM_NO_FILE_TYPE;
	case EACCES:
	case EPERM:
		return TM_NO_FILE_DENIED;
	case ESRCH:
	case ENOENT:
	case ENOTDIR:
		return TM_NO_FILE_GONE;
	case ELOOP: /* a symbolic link where the kernel's path has none */
	case EXDEV:
		return TM_NO_FILE_OTHER;
	default:
		return TM_NO_FILE_ERROR;
	}
}

int candidates_open(unsigned which, const struct opener_request *request)
{
	switch (which) {
	case 0:
		return open_thread_root(request);
	case 1:
		return open_map_files(request);
	case 2:
		return open_in_root("1", true, request);
	default:
		return open_in_root("self", true, request);
	}
}
