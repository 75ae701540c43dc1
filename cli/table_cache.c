/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_cache - opens the file that keeps the parser's tables from one recording to the next
 */

#include "cli/table_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/exit_code.h"
#include "cli/terminal.h"
#include "shared/cache_magic.h"
#include "shared/cleanup.h"

#define BOOT_ID "/proc/sys/kernel/random/boot_id"

static bool is_ours(int fd)
{
	char magic[TM_CACHE_MAGIC_BYTES];
	struct stat status;

	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || status.st_nlink != 1 ||
	    status.st_uid != geteuid() || (status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
		return false;
	if (status.st_size == 0)
		return true;
	return pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
	       memcmp(magic, TM_CACHE_MAGIC, TM_CACHE_MAGIC_COMMON) == 0;
}

int table_cache_open(const char *path, int *ret_fd)
{
	/* Not blocking: what turns out to be a pipe or a device is not waited for. */
	_cleanup_(tm_closep) int fd =
		open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);

	if (fd < 0)
		return errno == ELOOP ? TABLE_CACHE_E_FOREIGN : -errno;
	if (!is_ours(fd))
		return TABLE_CACHE_E_FOREIGN;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? TABLE_CACHE_E_HELD : -errno;
	*ret_fd = TM_TAKE_FD(fd);
	return 0;
}

static const char *reason(int r)
{
	if (r == TABLE_CACHE_E_HELD)
		return "another recording uses it";
	if (r == TABLE_CACHE_E_FOREIGN)
		return "it is not an unwind table cache of this user alone; it was left unchanged";
	return strerror(-r);
}

int table_cache_choose(const char *path, int *ret_fd)
{
	int r;

	*ret_fd = -1;
	if (!path && mkdir(TABLE_CACHE_FOLDER, 0755) < 0 && errno != EEXIST) {
		terminal_verbose("%s: %s; tables are not kept", TABLE_CACHE_FOLDER,
				 strerror(errno));
		return 0;
	}
	r = table_cache_open(path ? path : TABLE_CACHE_DEFAULT, ret_fd);
	if (r == 0)
		return 0;
	if (path && r != TABLE_CACHE_E_HELD) {
		terminal_print("--cache %s: %s", path, reason(r));
		return EXIT_CODE_FAILED;
	}
	terminal_verbose("%s: %s; tables are not kept", path ? path : TABLE_CACHE_DEFAULT,
			 reason(r));
	return 0;
}

int table_cache_boot_id(char ret_id[TABLE_CACHE_BOOT_ID_BYTES])
{
	_cleanup_(tm_closep) int fd = open(BOOT_ID, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return -errno;
	got = read(fd, ret_id, TABLE_CACHE_BOOT_ID_BYTES - 1);
	if (got < 0)
		return -errno;
	ret_id[got] = '\0';
	ret_id[strcspn(ret_id, "\n")] = '\0';
	return ret_id[0] != '\0' ? 0 : -ENODATA;
}
