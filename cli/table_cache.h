/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * table_cache - opens the file that keeps the parser's tables from one recording to the next
 *
 * Owner      the command's own user, mode 0600; the symbolizer gets only the descriptor. Its
 *            account may be a borrowed uid (cli/uid_pool.h), which tomorrow is another program's.
 * Trust      used is only a regular file, no symbolic link, with one link, ours and closed to
 *            everybody else, which is empty or begins as a cache. Anything else is refused and left
 *            unchanged. The symbolizer checks the contents (symbolizer/unwind/table_cache.h).
 * Lock       one recording at a time, by flock; another one runs without the cache.
 */

#include <stddef.h>

#define TABLE_CACHE_FOLDER        "/var/cache/tidemark"
#define TABLE_CACHE_DEFAULT       TABLE_CACHE_FOLDER "/tables.cache"
#define TABLE_CACHE_BOOT_ID_BYTES 64

enum {
	TABLE_CACHE_E_FOREIGN = 1, /* no file that could be a cache of ours */
	TABLE_CACHE_E_HELD = 2,    /* another recording has it */
};

/* Creates it if it does not exist. Return: 0, TABLE_CACHE_E_*, -errno. */
int table_cache_open(const char *path, int *ret_fd);
/*
 * @path: NULL: TABLE_CACHE_DEFAULT, whose folder is made. Return: 0 (*ret_fd -1: record without
 * one), or an exit code, after printing why the file of --cache cannot be used.
 */
int table_cache_choose(const char *path, int *ret_fd);
/* The id of this boot, for which some tables are valid. Return: 0, -errno. */
int table_cache_boot_id(char ret_id[TABLE_CACHE_BOOT_ID_BYTES]);
