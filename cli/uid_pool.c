/* SPDX-License-Identifier: Apache-2.0 */
/* uid_pool - the two identities under which the programs run */

#include "cli/uid_pool.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/uid_in_use.h"
#include "cli/exit_code.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"

#define LOCK_TRIES 16 /* another session may remove the file or folder between two of our steps */

static int lock_path(const char *folder, uid_t uid, char ret_path[PATH_MAX])
{
	int length = snprintf(ret_path, PATH_MAX, "%s/uid-%u", folder, uid);

	return length > 0 && length < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* The file we locked is still the one that the name means. */
static int is_current(const char *path, int fd)
{
	struct stat held, named;

	return fstat(fd, &held) == 0 && stat(path, &named) == 0 && held.st_dev == named.st_dev &&
	       held.st_ino == named.st_ino;
}

int account_lock(const char *folder, uid_t uid, int *ret_lock)
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
			return errno == EWOULDBLOCK ? ACCOUNT_E_HELD : -errno;
		if (is_current(path, fd)) {
			*ret_lock = TM_TAKE_FD(fd);
			return 0;
		}
	}
	return ACCOUNT_E_HELD;
}

int account_unlock(const char *folder, uid_t uid, int lock)
{
	char path[PATH_MAX];

	if (lock < 0)
		return -1;
	if (lock_path(folder, uid, path) == 0)
		(void)unlink(path);
	(void)rmdir(folder); /* refused while another session holds a uid */
	return tm_close(lock);
}

static int is_named(uid_t uid)
{
	return getpwuid(uid) != NULL || getgrgid(uid) != NULL;
}

/* The first free uid from *cursor on. Return: 0, or an outcome, having said why. */
static int borrow(uid_t *cursor, struct account *ret_account)
{
	for (; *cursor <= ACCOUNT_LAST; (*cursor)++) {
		uid_t uid = *cursor;
		int lock = -1, r;

		if (is_named(uid))
			continue;
		r = account_lock(ACCOUNT_FOLDER, uid, &lock);
		if (r < 0) {
			say("%s: a uid cannot be held there: %s", ACCOUNT_FOLDER, strerror(-r));
			return OUTCOME_FAILED;
		}
		if (r == ACCOUNT_E_HELD)
			continue;
		r = occupied_by_process(uid);
		if (r == 0) {
			(*cursor)++;
			*ret_account = (struct account){uid, uid, lock};
			return 0;
		}
		(void)account_unlock(ACCOUNT_FOLDER, uid, lock);
		if (r < 0) {
			say("uid %u: this account cannot become it: %s", uid, strerror(-r));
			return OUTCOME_HOST;
		}
	}
	say("no free uid from %u to %u", ACCOUNT_FIRST, ACCOUNT_LAST);
	return OUTCOME_HOST;
}

static int acquire_one(const char *name, uid_t *cursor, struct account *ret_account)
{
	const struct passwd *entry = getpwnam(name);

	if (!entry)
		return borrow(cursor, ret_account);
	if (entry->pw_uid == 0) {
		say("the account %s has uid 0, which it must not have", name);
		return OUTCOME_HOST;
	}
	*ret_account = (struct account){entry->pw_uid, entry->pw_gid, -1};
	return 0;
}

int accounts_acquire(struct accounts *ret_accounts)
{
	struct accounts accounts = ACCOUNTS_NULL;
	uid_t cursor = ACCOUNT_FIRST;
	int r;

	r = acquire_one("tidemark-collector", &cursor, &accounts.collector);
	if (r == 0)
		r = acquire_one("tidemark-symbolizer", &cursor, &accounts.symbolizer);
	if (r == 0 && accounts.collector.uid == accounts.symbolizer.uid) {
		say("the accounts tidemark-collector and tidemark-symbolizer share uid %u",
		    accounts.collector.uid);
		r = OUTCOME_HOST;
	}
	if (r != 0) {
		accounts_release(&accounts);
		return r;
	}
	*ret_accounts = accounts;
	return 0;
}

void accounts_release(struct accounts *accounts)
{
	struct account *each[] = {&accounts->collector, &accounts->symbolizer};
	size_t i;

	for (i = 0; i < 2; i++)
		each[i]->lock = account_unlock(ACCOUNT_FOLDER, each[i]->uid, each[i]->lock);
}
