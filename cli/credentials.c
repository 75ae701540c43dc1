/* SPDX-License-Identifier: Apache-2.0 */
/* credentials - changes a child's identity from the command's to the program's, before its exec */

#include "cli/credentials.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/signals.h"
#include "shared/sandbox.h"

#define FIRST_OWN_FD 3

/* Before 5.11 close_range does not know CLOSE_RANGE_CLOEXEC. */
static int close_on_exec_each(void)
{
	struct rlimit limit;
	int fd;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return -1;
	for (fd = FIRST_OWN_FD; (rlim_t)fd < limit.rlim_cur; fd++)
		if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 && errno != EBADF)
			return -1;
	return 0;
}

/* Only the listed descriptors survive the exec, whatever the caller left open. */
static int keep_listed(const struct credentials *credentials)
{
	size_t i;

	if (syscall(SYS_close_range, FIRST_OWN_FD, ~0U, CLOSE_RANGE_CLOEXEC) < 0 &&
	    close_on_exec_each() < 0)
		return -1;
	for (i = 0; i < credentials->kept_count; i++)
		if (fcntl(credentials->kept[i], F_SETFD, 0) < 0)
			return -1;
	return 0;
}

static int take_stdio(int errors)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
	    dup2(errors, STDERR_FILENO) < 0)
		return -1;
	return close(null);
}

static bool is_listed(const struct credentials *credentials, cap_value_t capability)
{
	unsigned i;

	for (i = 0; i < credentials->capability_count; i++)
		if (credentials->capabilities[i] == capability)
			return true;
	return false;
}

/* PR_CAPBSET_READ fails behind the kernel's last capability. */
static int cut_bounding_set(const struct credentials *credentials)
{
	cap_value_t capability;

	for (capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++)
		if (!is_listed(credentials, capability) &&
		    prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0)
			return -1;
	return 0;
}

static int take_account(const struct credentials *credentials)
{
	if (setgroups(0, NULL) < 0 || setresgid(credentials->account.gid, credentials->account.gid,
						credentials->account.gid) < 0)
		return -1;
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0)
		return -1;
	return setresuid(credentials->account.uid, credentials->account.uid,
			 credentials->account.uid);
}

static int take_capabilities(const struct credentials *credentials)
{
	static const cap_flag_t sets[] = {CAP_PERMITTED, CAP_EFFECTIVE, CAP_INHERITABLE};
	cap_t wanted = cap_init();
	unsigned i;
	int r = wanted ? 0 : -1;

	for (i = 0; r == 0 && credentials->capability_count > 0 && i < 3; i++)
		r = cap_set_flag(wanted, sets[i], (int)credentials->capability_count,
				 credentials->capabilities, CAP_SET);
	if (r == 0)
		r = cap_set_proc(wanted);
	for (i = 0; r == 0 && i < credentials->capability_count; i++)
		r = prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, credentials->capabilities[i], 0, 0);
	(void)cap_free(wanted);
	return r;
}

/* Comes after the last change of identity, which clears it. A dead parent cannot send it. */
static int die_with(pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		return -1;
	if (getppid() == parent)
		return 0;
	errno = ESRCH;
	return -1;
}

static int fail(struct credentials_failure *ret_failure, const char *step)
{
	ret_failure->error = errno;
	(void)snprintf(ret_failure->step, sizeof(ret_failure->step), "%s", step);
	return -1;
}

int credentials_take(const struct credentials *credentials, pid_t parent, int errors,
		     struct credentials_failure *ret_failure)
{
	if (setsid() < 0)
		return fail(ret_failure, "session");
	if (signals_reset() < 0)
		return fail(ret_failure, "signals");
	if (chdir("/") < 0)
		return fail(ret_failure, "root folder");
	if (take_stdio(errors) < 0)
		return fail(ret_failure, "standard files");
	if (keep_listed(credentials) < 0)
		return fail(ret_failure, "descriptors");
	if (!credentials->as_caller && cut_bounding_set(credentials) < 0)
		return fail(ret_failure, "capability bounding set");
	if (!credentials->as_caller && take_account(credentials) < 0)
		return fail(ret_failure, "account");
	if (take_capabilities(credentials) < 0)
		return fail(ret_failure, "capabilities");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return fail(ret_failure, "no_new_privs");
	if (die_with(parent) < 0)
		return fail(ret_failure, "death signal");
	return 0;
}

int credentials_give_up(struct uid_pool_account account, struct credentials_failure *ret_failure)
{
	const struct credentials none = {.account = account};

	if (cut_bounding_set(&none) < 0)
		return fail(ret_failure, "capability bounding set");
	if (take_account(&none) < 0)
		return fail(ret_failure, "account");
	if (take_capabilities(&none) < 0)
		return fail(ret_failure, "capabilities");
	/* The change of the account forbids it, and the leak check of a sanitizer needs it. */
	if (TM_SANITIZED && prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0)
		return fail(ret_failure, "dumpable");
	return 0;
}

static bool is_permitted(cap_t own, cap_value_t capability)
{
	cap_flag_value_t value = CAP_CLEAR;

	return own && cap_get_flag(own, capability, CAP_PERMITTED, &value) == 0 &&
	       value == CAP_SET && cap_get_bound(capability) == CAP_SET;
}

int credentials_keep(const cap_value_t *capabilities, size_t count,
		     struct credentials_failure *ret_failure)
{
	struct credentials kept = {.program = -1};
	cap_t own = cap_get_proc();

	for (size_t i = 0; i < count && kept.capability_count < CREDENTIALS_CAPABILITIES_MAX; i++)
		if (is_permitted(own, capabilities[i]))
			kept.capabilities[kept.capability_count++] = capabilities[i];
	(void)cap_free(own);
	if (cut_bounding_set(&kept) < 0)
		return fail(ret_failure, "capability bounding set");
	if (take_capabilities(&kept) < 0)
		return fail(ret_failure, "capabilities");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return fail(ret_failure, "no_new_privs");
	return 0;
}

void credentials_execute(const struct credentials *credentials,
			 struct credentials_failure *ret_failure)
{
	char *const environment[] = {NULL};

	(void)execveat(credentials->program, "", credentials->arguments, environment,
		       AT_EMPTY_PATH);
	(void)fail(ret_failure, "execution");
}
