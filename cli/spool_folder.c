/* SPDX-License-Identifier: Apache-2.0 */
/* spool_folder - makes the folder of the spool ready for the account that tidemark-spool has */

#include "cli/spool_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "cli/exit_code.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"
#include "shared/segment.h"

#define MODE 0750

static void close_folder(DIR **entries)
{
	if (*entries)
		(void)closedir(*entries);
}

/* Return: NULL and errno. */
static DIR *read_folder(int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = copy < 0 ? NULL : fdopendir(copy);

	if (!entries && copy >= 0)
		(void)tm_close(copy);
	return entries;
}

/* The next segment. Return: 0, SPOOL_FOLDER_E_FOREIGN: something else is there, -errno; *ret_name
 * is NULL behind the last one. */
static int next_segment(DIR *entries, const char **ret_name)
{
	const struct dirent *entry;
	uint64_t sequence;

	do {
		errno = 0;
		entry = readdir(entries);
		*ret_name = entry ? entry->d_name : NULL;
		if (!entry)
			return -errno;
	} while (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0);
	return tm_segment_parse_name(entry->d_name, &sequence) ? 0 : SPOOL_FOLDER_E_FOREIGN;
}

static int check_content(int fd)
{
	_cleanup_(close_folder) DIR *entries = read_folder(fd);
	const char *name;
	int r;

	if (!entries)
		return -errno;
	do
		r = next_segment(entries, &name);
	while (r == 0 && name);
	return r;
}

int spool_folder_open(const char *path, int *ret_fd)
{
	_cleanup_(tm_closep) int fd = -1;
	struct stat status;
	int r;

	if (mkdir(path, MODE) < 0 && errno != EEXIST)
		return -errno;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ELOOP || errno == ENOTDIR ? SPOOL_FOLDER_E_FOREIGN : -errno;
	if (fstat(fd, &status) < 0)
		return -errno;
	if (status.st_mode & (S_IWGRP | S_IWOTH))
		return SPOOL_FOLDER_E_FOREIGN;
	r = check_content(fd);
	if (r != 0)
		return r;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? SPOOL_FOLDER_E_HELD : -errno;
	*ret_fd = TM_TAKE_FD(fd);
	return 0;
}

int spool_folder_choose(const char *path, int *ret_fd)
{
	int r = spool_folder_open(path, ret_fd);

	if (r == SPOOL_FOLDER_E_HELD)
		terminal_print("--spool %s: another recording uses it", path);
	else if (r == SPOOL_FOLDER_E_FOREIGN)
		terminal_print("--spool %s: it is no folder of segments alone that nobody but its "
			       "owner may write to; it was left unchanged",
			       path);
	else if (r < 0)
		terminal_print("--spool %s: %s", path, strerror(-r));
	return r == 0 ? 0 : EXIT_CODE_FAILED;
}

/* --- handing over ----------------------------------------------------------------------------- */

/* What does not belong to @from is left as it is, and tidemark-spool will not open it. */
static int give_file(int folder, const char *name, uid_t from, uid_t uid, gid_t gid)
{
	_cleanup_(tm_closep) int fd = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISREG(status.st_mode) || status.st_nlink != 1 || status.st_uid != from)
		return 0;
	return fchownat(fd, "", uid, gid, AT_EMPTY_PATH) < 0 ? -errno : 0;
}

/* First the folder, so that who had it before can change nothing any more. */
static int give(int fd, uid_t uid, gid_t gid)
{
	_cleanup_(close_folder) DIR *entries = NULL;
	struct stat status;
	const char *name;
	int r;

	if (fstat(fd, &status) < 0)
		return -errno;
	if (fchown(fd, uid, gid) < 0 || fchmod(fd, MODE) < 0)
		return -errno;
	entries = read_folder(fd);
	if (!entries)
		return -errno;
	do {
		r = next_segment(entries, &name);
		if (r == 0 && name)
			r = give_file(fd, name, status.st_uid, uid, gid);
	} while (r == 0 && name);
	return r > 0 ? -EEXIST : r;
}

int spool_folder_give(const char *path, int fd, uid_t uid, gid_t gid)
{
	int r = give(fd, uid, gid);

	if (r == 0)
		return 0;
	terminal_print("--spool %s: it cannot be handed to tidemark-spool: %s", path, strerror(-r));
	return EXIT_CODE_FAILED;
}
