/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * spool_folder - makes the folder of the spool ready for the account that tidemark-spool has
 *
 * Trust      a folder that holds anything but segments is left alone: it is no spool. Without an
 *            account of its own, tidemark-spool has another uid in each recording; so folder and
 *            segments are handed to it, but only files that belonged to who had the folder before,
 *            and that have one name alone.
 * Lock       two recordings do not use one spool: the folder is locked by its open descriptor, of
 *            which tidemark-spool has a copy.
 */

#include <sys/types.h>

enum {
	SPOOL_FOLDER_E_HELD = 1,    /* another recording uses it */
	SPOOL_FOLDER_E_FOREIGN = 2, /* it holds something else, or others may write to it */
};

/* Makes it if it does not exist. Return: 0, or an exit code, after printing why. */
int spool_folder_choose(const char *path, int *ret_fd);
/* Hands it over. Return: 0, or an exit code, after printing why. */
int spool_folder_give(const char *path, int fd, uid_t uid, gid_t gid);

/* --- parts ---------------------------------------------------------------------------------- */

/* Return: 0, SPOOL_FOLDER_E_*, -errno. */
int spool_folder_open(const char *path, int *ret_fd);
