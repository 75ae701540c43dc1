/* SPDX-License-Identifier: Apache-2.0 */
/* program_paths - finds the other programs relative to this one, never by the environment */

#include "cli/program_paths.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/exit_code.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"

/* TM_LIBEXEC: from the folder of this program, by meson: "../libexec/tidemark". */
static const struct {
	const char *name;
	const char *built; /* folder in the build tree, from this program's */
} programs[PROGRAM_PATHS_N] = {
	[PROGRAM_PATHS_COLLECTOR] = {"tidemark-collector", "../collector"},
	[PROGRAM_PATHS_OPENER] = {"tidemark-opener", "../collector/opener"},
	[PROGRAM_PATHS_SYMBOLIZER] = {"tidemark-symbolizer", "../symbolizer"},
	[PROGRAM_PATHS_PARSER] = {"tidemark-parser", "../symbolizer/parser"},
	[PROGRAM_PATHS_DEBUGINFOD] = {"tidemark-debuginfod", "../symbolizer/debuginfod"},
	[PROGRAM_PATHS_EXPORTER] = {"tidemark-exporter", "../symbolizer/exporter"},
	[PROGRAM_PATHS_VIEWER] = {"tidemark-viewer", "../symbolizer/viewer"},
	[PROGRAM_PATHS_SPOOL] = {"tidemark-spool", "../symbolizer/spool"},
};

const char *program_paths_name(enum program_paths_program program)
{
	return programs[program].name;
}

int program_paths_path(const char *directory, enum program_paths_program program, bool installed,
		       char ret_path[PATH_MAX])
{
	const char *folder = installed ? TM_LIBEXEC : programs[program].built;
	int length;

	if (folder[0] == '/')
		length = snprintf(ret_path, PATH_MAX, "%s/%s", folder, programs[program].name);
	else
		length = snprintf(ret_path, PATH_MAX, "%s/%s/%s", directory, folder,
				  programs[program].name);
	return length > 0 && length < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* Return: descriptor or -errno. */
static int open_program(const char *path)
{
	_cleanup_(tm_closep) int fd = open(path, O_PATH | O_CLOEXEC);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode) || !(status.st_mode & S_IXOTH))
		return -EACCES; /* it runs under another account than ours */
	return TM_TAKE_FD(fd);
}

static int open_one(const char *directory, enum program_paths_program program, int *ret_fd)
{
	char path[PATH_MAX];
	int fd = -ENOENT;

	for (unsigned place = 0; place < 2 && fd == -ENOENT; place++) {
		if (program_paths_path(directory, program, /* installed= */ place == 0, path) < 0)
			fd = -ENAMETOOLONG;
		else
			fd = open_program(path);
	}
	if (fd < 0) {
		terminal_print("%s cannot be run: %s; tidemark is not completely installed",
			       fd == -ENOENT ? programs[program].name : path, strerror(-fd));
		return EXIT_CODE_FAILED;
	}
	*ret_fd = fd;
	return 0;
}

int program_paths_open(int ret_fds[PROGRAM_PATHS_N], unsigned left_out)
{
	char directory[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", directory, sizeof(directory) - 1);
	char *slash;
	int r, i;

	if (length < 0) {
		terminal_print("/proc/self/exe: %s", strerror(errno));
		return EXIT_CODE_FAILED;
	}
	directory[length] = '\0';
	slash = strrchr(directory, '/');
	if (slash)
		*slash = '\0';
	for (i = 0; i < PROGRAM_PATHS_N; i++) {
		ret_fds[i] = -1;
		if (left_out >> i & 1)
			continue;
		r = open_one(directory, (enum program_paths_program)i, &ret_fds[i]);
		if (r != 0) {
			while (i-- > 0)
				ret_fds[i] = tm_close(ret_fds[i]);
			return r;
		}
	}
	return 0;
}
