/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * table_cache - the file in which the symbolizer keeps tables of rows from one recording to the next
 *
 * Owner      the command's own user, mode 0600; the symbolizer has it by descriptor alone. Its account
 *            may be a borrowed uid (cli/uid_pool.h), which tomorrow is another program's.
 * Trust      taken is what is a regular file, no symbolic link, linked once, ours and nobody else's to
 *            open, and empty or begun as a cache; anything else is refused and left as it is. What is
 *            in it is the symbolizer's to distrust (symbolizer/unwind/table_cache.h).
 * Lock       one recording at a time, by flock; another one goes without.
 */

#include <stddef.h>

#define TABLE_CACHE_FOLDER        "/var/cache/tidemark"
#define TABLE_CACHE_DEFAULT       TABLE_CACHE_FOLDER "/rows.cache"
#define TABLE_CACHE_BOOT_ID_BYTES 64

enum {
	TABLE_CACHE_E_FOREIGN = 1, /* no file that could be a cache of ours */
	TABLE_CACHE_E_HELD = 2,    /* another recording has it */
};

/* Makes it where it is not there. Return: 0, CACHE_E_*, -errno. */
int table_cache_open(const char *path, int *ret_fd);
/*
 * @path: NULL: TABLE_CACHE_DEFAULT, whose folder is made. Return: 0 (*ret_fd -1: it has to do without), or an
 * exit_code, having said why the file that was asked for cannot be used.
 */
int table_cache_choose(const char *path, int *ret_fd);
/* What tells this boot from others; what is kept lasts as long. Return: 0, -errno. */
int table_cache_boot_id(char ret_id[TABLE_CACHE_BOOT_ID_BYTES]);
