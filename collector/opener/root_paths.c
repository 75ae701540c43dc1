/* SPDX-License-Identifier: Apache-2.0 */
/* root_paths - opens one of several paths below a root, without any capability */

#include "collector/opener/root_paths.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/opener/candidates.h"
#include "shared/cleanup.h"

static int drop_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};

	return syscall(SYS_capset, &header, none) < 0 ? -errno : 0;
}

/* The path with number @which; NULL: there are fewer. */
static const char *path_at(const struct opener_request *request, unsigned which)
{
	size_t bytes =
		request->path_bytes < OPENER_PATH_BYTES ? request->path_bytes : OPENER_PATH_BYTES;
	size_t at = 0;

	while (which-- && at < bytes)
		at += strnlen(request->path + at, bytes - at) + 1;
	return at < bytes ? request->path + at : NULL;
}

int root_paths_begin(struct root_paths *paths, const struct opener_request *request)
{
	char thread[16];

	(void)snprintf(thread, sizeof(thread), "%u", request->own_tid);
	*paths = (struct root_paths){.request = request};
	paths->roots[0] = candidates_root(thread, /* other= */ true, request);
	paths->roots[1] = candidates_root("self", /* other= */ false, request);
	while (path_at(request, paths->count / 2))
		paths->count += 2;
	return drop_capabilities();
}

static int check_owner(int fd, uint32_t owner)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_UID | STATX_MODE, &st) < 0)
		return -errno;
	return (st.stx_uid == 0 || st.stx_uid == owner) && !(st.stx_mode & S_IWOTH) ? 0 : -EPERM;
}

int root_paths_open(const struct root_paths *paths, unsigned which)
{
	bool map = paths->request->kind == OPENER_PERF_MAP;
	int root = map && which ? -ESRCH : paths->roots[which / (paths->count / 2)];
	const char *path = path_at(paths->request, which % (paths->count / 2));
	_cleanup_(tm_closep) int located = -1;
	int r;

	if (root < 0)
		return root;
	located = candidates_locate(root, path, map ? O_NOFOLLOW : 0, /* resolve= */ 0);
	if (located < 0)
		return located;
	r = map ? 0 : check_owner(located, paths->request->owner);
	return r < 0 ? r : candidates_reopen(located);
}
