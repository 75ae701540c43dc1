/* SPDX-License-Identifier: Apache-2.0 */
/* output - one file that a report is written into: complete under its name, or not there at all */

#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/cleanup.h"

#define NAME_TRIES 16
#define FILE_MODE  0666 /* less the caller's umask, where no other is wanted */

/* Splits @path into its folder, opened unless it is open as @known, and the last component. */
static int open_folder(struct output *output, const char *path, int known)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	char folder[PATH_MAX] = ".";
	int length;

	if (*base == '\0' || strcmp(base, ".") == 0 || strcmp(base, "..") == 0)
		return -EISDIR;
	if (strlen(base) >= sizeof(output->base))
		return -ENAMETOOLONG;
	memcpy(output->base, base, strlen(base) + 1);
	if (slash) {
		length = snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path + 1), path);
		if (length < 0 || (size_t)length >= sizeof(folder))
			return -ENAMETOOLONG;
	}
	output->folder = known >= 0 ? fcntl(known, F_DUPFD_CLOEXEC, 0)
				    : open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return output->folder < 0 ? -errno : 0;
}

/* A name that nothing else uses, hidden, random. */
static void choose_name(struct output *output)
{
	unsigned long long random = 0;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		random = (unsigned long long)getpid();
	(void)snprintf(output->temporary, sizeof(output->temporary), ".tidemark-%016llx", random);
}

static int set_mode(const struct output *output, unsigned mode)
{
	return mode && fchmod(output->fd, mode) < 0 ? -errno : 0;
}

static int open_hidden(struct output *output, unsigned mode)
{
	int try;

	for (try = 0; try < NAME_TRIES; try++) {
		choose_name(output);
		output->fd = openat(output->folder, output->temporary,
				    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
				    mode ? mode : FILE_MODE);
		if (output->fd >= 0) {
			output->kind = OUTPUT_HIDDEN;
			return set_mode(output, mode);
		}
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

static int open_new(struct output *output, unsigned mode)
{
	output->fd = openat(output->folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, FILE_MODE);
	if (output->fd >= 0) {
		output->kind = OUTPUT_NAMELESS;
		return set_mode(output, mode);
	}
	if (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT || errno == EINVAL)
		return open_hidden(output, mode);
	return -errno;
}

/* As fs.protected_fifos does it: a pipe of somebody else, where everybody may put one, is not what
 * is meant. */
static bool is_foreign_pipe(const struct output *output, const struct stat *pipe)
{
	const mode_t shared = S_ISVTX | S_IWOTH;
	struct stat folder;

	if (!S_ISFIFO(pipe->st_mode) || pipe->st_uid == geteuid())
		return false;
	return fstat(output->folder, &folder) < 0 ||
	       ((folder.st_mode & shared) == shared && pipe->st_uid != folder.st_uid);
}

static int open_straight(struct output *output)
{
	struct stat status;
	int flags;

	/* Not blocking: a pipe without a reader is an error now, not a wait. */
	output->fd =
		openat(output->folder, output->base, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (output->fd < 0 || fstat(output->fd, &status) < 0)
		return -errno;
	if (!S_ISCHR(status.st_mode) && !S_ISFIFO(status.st_mode))
		return -EINVAL; /* it was replaced meanwhile */
	if (is_foreign_pipe(output, &status))
		return -EACCES;
	flags = fcntl(output->fd, F_GETFL);
	if (flags < 0 || fcntl(output->fd, F_SETFL, flags & ~O_NONBLOCK) < 0)
		return -errno;
	output->kind = OUTPUT_STRAIGHT;
	return 0;
}

static int open_by_type(struct output *output, unsigned mode)
{
	struct stat status;

	if (fstatat(output->folder, output->base, &status, 0) < 0)
		return open_new(output, mode); /* nothing there, or a link that leads nowhere */
	if (S_ISREG(status.st_mode))
		return open_new(output, mode);
	if (S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode))
		return open_straight(output);
	return S_ISDIR(status.st_mode) ? -EISDIR : -EINVAL;
}

int output_open(struct output *ret_output, const char *path, int folder, unsigned mode)
{
	int r;

	*ret_output = OUTPUT_NULL;
	ret_output->path = path;
	r = open_folder(ret_output, path, folder);
	if (r == 0)
		r = open_by_type(ret_output, mode);
	if (r < 0)
		output_discard(ret_output);
	return r;
}

bool output_is_same(const struct output *a, const struct output *b)
{
	struct stat left, right;

	return strcmp(a->base, b->base) == 0 && fstat(a->folder, &left) == 0 &&
	       fstat(b->folder, &right) == 0 && left.st_dev == right.st_dev &&
	       left.st_ino == right.st_ino;
}

int output_rename(struct output *output, const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;

	if (strlen(base) >= sizeof(output->base))
		return -ENAMETOOLONG;
	memcpy(output->base, base, strlen(base) + 1);
	output->path = path;
	return 0;
}

static int link_as(const struct output *output, const char *name)
{
	char path[64];

	if (linkat(output->fd, "", output->folder, name, AT_EMPTY_PATH) == 0)
		return 0;
	if (errno == EEXIST)
		return -errno;
	/* Without CAP_DAC_READ_SEARCH only this way is open. */
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", output->fd);
	if (linkat(AT_FDCWD, path, output->folder, name, AT_SYMLINK_FOLLOW) == 0)
		return 0;
	return -errno;
}

/* Gives the nameless file its name at once, or a hidden one where the target exists. */
static int name_it(struct output *output)
{
	int try, r = link_as(output, output->base);

	if (r != -EEXIST)
		return r;
	for (try = 0; try < NAME_TRIES && r == -EEXIST; try++) {
		choose_name(output);
		r = link_as(output, output->temporary);
	}
	if (r == 0)
		output->kind = OUTPUT_HIDDEN;
	return r;
}

int output_commit(struct output *output)
{
	int r = 0;

	/* Some file systems report only now that no space was left. */
	if (fsync(output->fd) < 0 && output->kind != OUTPUT_STRAIGHT)
		return -errno;
	if (output->kind == OUTPUT_NAMELESS)
		r = name_it(output);
	if (r < 0 || output->kind != OUTPUT_HIDDEN)
		return r;
	if (renameat(output->folder, output->temporary, output->folder, output->base) < 0)
		return -errno;
	output->temporary[0] = '\0';
	return 0;
}

void output_discard(struct output *output)
{
	if (output->kind == OUTPUT_HIDDEN && output->temporary[0] != '\0')
		(void)unlinkat(output->folder, output->temporary, 0);
	output->temporary[0] = '\0';
	output->fd = tm_close(output->fd);
	output->folder = tm_close(output->folder);
}
