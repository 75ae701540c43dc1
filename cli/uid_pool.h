/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * uid_pool - the accounts under which the programs run: named ones, else unused uids
 *
 * Shape      the accounts tidemark-collector, tidemark-symbolizer and, if they are to be started,
 *            tidemark-debuginfod, tidemark-exporter and tidemark-spool where they exist; else, for
 *            each, the first uid of UID_POOL_FIRST..UID_POOL_LAST that has neither an entry in
 *            /etc/passwd or /etc/group nor a process. systemd leaves that range unused
 *            (systemd.io/UIDS-GIDS); its own dynamic users begin behind it. The command itself
 *            always has such a one.
 * Names      are read from the files alone: NSS would load code into a process that is root, and
 *            may ask a network.
 * Lock       a borrowed uid is held by flock on UID_POOL_FOLDER/uid-N while in use; the file goes
 *            when the uid is given back.
 */

#include <stdbool.h>
#include <sys/types.h>

#define UID_POOL_FIRST  60578u
#define UID_POOL_LAST   61183u
#define UID_POOL_FOLDER "/run/tidemark"

struct uid_pool_account {
	uid_t uid;
	gid_t gid;
	int lock; /* descriptor; -1: a named account, which needs none */
};

struct uid_pool {
	struct uid_pool_account collector;
	struct uid_pool_account symbolizer;
	struct uid_pool_account debuginfod; /* of uid 0: not acquired */
	struct uid_pool_account exporter;   /* likewise */
	struct uid_pool_account spool;      /* likewise */
	struct uid_pool_account command;
};
#define UID_POOL_NULL \
	((struct uid_pool){{0, 0, -1}, {0, 0, -1}, {0, 0, -1}, {0, 0, -1}, {0, 0, -1}, {0, 0, -1}})

enum {
	UID_POOL_E_HELD = 1, /* another recording or process has it */
};

/* Return: 0, or an exit code, after printing why. */
int uid_pool_acquire(struct uid_pool *ret_accounts, bool with_debuginfod, bool with_exporter,
		     bool with_spool);
/* An unused uid for a single program. Return: as uid_pool_acquire. */
int uid_pool_borrow(struct uid_pool_account *ret_account);
/* Gives it back. Total. */
void uid_pool_return(struct uid_pool_account *account);
/* Total. */
void uid_pool_release(struct uid_pool *accounts);
/* Closes the locks, which another process still has. */
void uid_pool_forget(struct uid_pool *accounts);

/* --- parts ---------------------------------------------------------------------------------- */

/* Holds @uid by a file in @folder. Return: 0, UID_POOL_E_HELD, -errno. */
int uid_pool_lock(const char *folder, uid_t uid, int *ret_lock);
/* Gives it back: the file goes, then the lock. Total. Return: -1. */
int uid_pool_unlock(const char *folder, uid_t uid, int lock);
