/* SPDX-License-Identifier: Apache-2.0 */
/* uid_pool - the accounts under which the programs run: named ones, else unused uids */

#include "cli/uid_pool.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/exit_code.h"
#include "cli/spawn.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"

#define LOCK_TRIES 16 /* another recording may remove the file or folder between two of our steps */

/* Exit codes of the child that tests a uid; errno values stay below them. */
#define UID_FREE   200
#define UID_IN_USE 201

static int lock_path(const char *folder, uid_t uid, char ret_path[PATH_MAX])
{
	int length = snprintf(ret_path, PATH_MAX, "%s/uid-%u", folder, uid);

	return length > 0 && length < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* Whether the file we locked is still the one at @path. */
static bool is_current(const char *path, int fd)
{
	struct stat held, named;

	return fstat(fd, &held) == 0 && stat(path, &named) == 0 && held.st_dev == named.st_dev &&
	       held.st_ino == named.st_ino;
}

int uid_pool_lock(const char *folder, uid_t uid, int *ret_lock)
{
	char path[PATH_MAX];
	int try, r = lock_path(folder, uid, path);

	if (r < 0)
		return r;
	for (try = 0; try < LOCK_TRIES; try++) {
		_cleanup_(tm_closep) int fd = -1;

		if (mkdir(folder, 0755) < 0 && errno != EEXIST)
			return -errno;
		fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0 && errno != ENOENT)
			return -errno;
		if (fd < 0)
			continue;
		if (flock(fd, LOCK_EX | LOCK_NB) < 0)
			return errno == EWOULDBLOCK ? UID_POOL_E_HELD : -errno;
		if (is_current(path, fd)) {
			*ret_lock = TM_TAKE_FD(fd);
			return 0;
		}
	}
	return UID_POOL_E_HELD;
}

int uid_pool_unlock(const char *folder, uid_t uid, int lock)
{
	char path[PATH_MAX];

	if (lock < 0)
		return -1;
	if (lock_path(folder, uid, path) == 0)
		(void)unlink(path);
	(void)rmdir(folder); /* refused while another session holds a uid */
	return tm_close(lock);
}

static FILE *open_names(const char *path)
{
	return fopen(path, "re"); /* a system without the file has no names */
}

/* By name, or if that is NULL by @uid. Return: borrowed until the next call; NULL: none. */
static const struct passwd *find_passwd(const char *name, uid_t uid)
{
	FILE *file = open_names("/etc/passwd");
	const struct passwd *entry = NULL;

	while (file && (entry = fgetpwent(file)) != NULL)
		if (name ? strcmp(entry->pw_name, name) == 0 : entry->pw_uid == uid)
			break;
	if (file)
		(void)fclose(file);
	return entry;
}

static bool is_group(gid_t gid)
{
	FILE *file = open_names("/etc/group");
	const struct group *entry = NULL;

	while (file && (entry = fgetgrent(file)) != NULL)
		if (entry->gr_gid == gid)
			break;
	if (file)
		(void)fclose(file);
	return entry != NULL;
}

static bool is_named(uid_t uid)
{
	return find_passwd(NULL, uid) != NULL || is_group(uid);
}

/*
 * Tests @uid from inside a child, which may have two processes under it: if a fork is refused,
 * another process has the uid. The kernel counts processes of every PID namespace.
 */
static int test_uid(uid_t uid)
{
	const struct rlimit two = {2, 2};
	pid_t child;

	if (setrlimit(RLIMIT_NPROC, &two) < 0 || setgroups(0, NULL) < 0 ||
	    setresgid(uid, uid, uid) < 0 || setresuid(uid, uid, uid) < 0)
		return errno;
	child = fork();
	if (child < 0)
		return errno == EAGAIN ? UID_IN_USE : errno;
	if (child == 0)
		_exit(0);
	return spawn_wait(child, NULL, NULL) < 0 ? ECHILD : UID_FREE;
}

/* @uid: not 0. Return: 0 (unused), UID_POOL_E_HELD, -errno (this process cannot become @uid). */
static int check_unused(uid_t uid)
{
	int status = 0, r;
	pid_t child = fork();

	if (child < 0)
		return -errno;
	if (child == 0)
		_exit(test_uid(uid));
	r = spawn_wait(child, &status, NULL);
	if (r < 0)
		return r;
	if (!WIFEXITED(status))
		return -ECANCELED;
	if (WEXITSTATUS(status) == UID_FREE)
		return 0;
	return WEXITSTATUS(status) == UID_IN_USE ? UID_POOL_E_HELD : -WEXITSTATUS(status);
}

/* Borrows the first unused uid from *cursor on, upwards or downwards. Return: 0, or an exit code,
 * after printing why. */
static int borrow(uid_t *cursor, bool up, struct uid_pool_account *ret_account)
{
	while (*cursor >= UID_POOL_FIRST && *cursor <= UID_POOL_LAST) {
		uid_t uid = *cursor;
		int lock = -1, r;

		*cursor = up ? uid + 1 : uid - 1;
		if (is_named(uid))
			continue;
		r = uid_pool_lock(UID_POOL_FOLDER, uid, &lock);
		if (r < 0) {
			terminal_print("an unused uid cannot be locked in %s: %s", UID_POOL_FOLDER,
				       strerror(-r));
			return EXIT_CODE_FAILED;
		}
		if (r == UID_POOL_E_HELD)
			continue;
		r = check_unused(uid);
		if (r == 0) {
			*ret_account = (struct uid_pool_account){uid, uid, lock};
			return 0;
		}
		(void)uid_pool_unlock(UID_POOL_FOLDER, uid, lock);
		if (r < 0) {
			terminal_print("this account cannot switch to uid %u: %s", uid,
				       strerror(-r));
			return EXIT_CODE_HOST;
		}
	}
	terminal_print("every uid from %u to %u is in use or has a name: create the accounts "
		       "tidemark-collector, tidemark-symbolizer, tidemark-debuginfod, "
		       "tidemark-exporter and tidemark-spool",
		       UID_POOL_FIRST, UID_POOL_LAST);
	return EXIT_CODE_HOST;
}

static int acquire_one(const char *name, uid_t *cursor, struct uid_pool_account *ret_account)
{
	const struct passwd *entry = find_passwd(name, 0);

	if (!entry)
		return borrow(cursor, true, ret_account);
	if (entry->pw_uid == 0) {
		terminal_print("the account %s has uid 0; it needs a uid of its own", name);
		return EXIT_CODE_HOST;
	}
	*ret_account = (struct uid_pool_account){entry->pw_uid, entry->pw_gid, -1};
	return 0;
}

/* Named accounts may have been given the same uid. Return: as uid_pool_acquire(). */
static int check_distinct(const struct uid_pool *accounts)
{
	const uid_t uids[] = {accounts->collector.uid, accounts->symbolizer.uid,
			      accounts->debuginfod.uid, accounts->exporter.uid,
			      accounts->spool.uid};

	for (size_t i = 1; i < sizeof(uids) / sizeof(*uids); i++)
		for (size_t j = 0; j < i; j++) {
			if (uids[i] == 0 || uids[i] != uids[j])
				continue;
			terminal_print(
				"two of the accounts tidemark-collector, "
				"tidemark-symbolizer, tidemark-debuginfod, "
				"tidemark-exporter and tidemark-spool share uid %u, and each "
				"needs its own",
				uids[i]);
			return EXIT_CODE_HOST;
		}
	return 0;
}

int uid_pool_acquire(struct uid_pool *ret_accounts, bool with_debuginfod, bool with_exporter,
		     bool with_spool)
{
	struct uid_pool accounts = UID_POOL_NULL;
	uid_t cursor = UID_POOL_FIRST, last = UID_POOL_LAST;
	int r;

	r = acquire_one("tidemark-collector", &cursor, &accounts.collector);
	if (r == 0)
		r = acquire_one("tidemark-symbolizer", &cursor, &accounts.symbolizer);
	if (r == 0 && with_debuginfod)
		r = acquire_one("tidemark-debuginfod", &cursor, &accounts.debuginfod);
	if (r == 0 && with_exporter)
		r = acquire_one("tidemark-exporter", &cursor, &accounts.exporter);
	if (r == 0 && with_spool)
		r = acquire_one("tidemark-spool", &cursor, &accounts.spool);
	if (r == 0)
		/* Not from the same end, where one may own the spool of another recording. */
		r = borrow(&last, false, &accounts.command);
	if (r == 0)
		r = check_distinct(&accounts);
	if (r != 0) {
		uid_pool_release(&accounts);
		return r;
	}
	*ret_accounts = accounts;
	return 0;
}

int uid_pool_borrow(struct uid_pool_account *ret_account)
{
	uid_t cursor = UID_POOL_FIRST;

	return borrow(&cursor, true, ret_account);
}

void uid_pool_return(struct uid_pool_account *account)
{
	account->lock = uid_pool_unlock(UID_POOL_FOLDER, account->uid, account->lock);
}

static void each_account(struct uid_pool *accounts, void (*apply)(struct uid_pool_account *))
{
	apply(&accounts->collector);
	apply(&accounts->symbolizer);
	apply(&accounts->debuginfod);
	apply(&accounts->exporter);
	apply(&accounts->spool);
	apply(&accounts->command);
}

void uid_pool_release(struct uid_pool *accounts)
{
	each_account(accounts, uid_pool_return);
}

static void forget(struct uid_pool_account *account)
{
	account->lock = tm_close(account->lock);
}

void uid_pool_forget(struct uid_pool *accounts)
{
	each_account(accounts, forget);
}
