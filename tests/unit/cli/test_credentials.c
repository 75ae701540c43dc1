/* SPDX-License-Identifier: Apache-2.0 */
/* test_credentials - a failing step of a child's change of identity stops the child and is named
 */

#include "tests/unit/cli/check.h"

#include <errno.h>
#include <grp.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "cli/credentials.h"
#include "cli/signals.h"

/*
 * The linker redirects the calls of credentials.c here (--wrap), so that this process stays as it
 * is.
 */
pid_t __wrap_setsid(void);
int __wrap_signals_reset(void);
int __wrap_chdir(const char *path);
int __wrap_dup2(int from, int to);
int __wrap_fcntl64(int fd, int command, ...);
long __wrap_syscall(long number, ...);
int __wrap_prctl(int option, unsigned long value, ...);
int __wrap_setgroups(size_t count, const gid_t *groups);
int __wrap_setresgid(gid_t real, gid_t effective, gid_t saved);
int __wrap_setresuid(uid_t real, uid_t effective, uid_t saved);
int __wrap_cap_set_proc(cap_t capabilities);
pid_t __wrap_getppid(void);

#define PARENT          4711
#define LAST_CAPABILITY 40

static const char *fails; /* name of the call that fails; NULL: none */
static int fails_option;  /* prctl: with this option; 0: any */
static unsigned dropped;  /* from the bounding set */
static uid_t account;     /* the account that was taken */

static int result(const char *call)
{
	if (!fails || strcmp(fails, call) != 0)
		return 0;
	errno = EACCES;
	return -1;
}

pid_t __wrap_setsid(void)
{
	return result("setsid");
}

int __wrap_signals_reset(void)
{
	return result("signals_reset");
}

int __wrap_chdir(const char *path)
{
	return result("chdir");
}

int __wrap_dup2(int from, int to)
{
	return result("dup2");
}

int __wrap_fcntl64(int fd, int command, ...)
{
	return result("fcntl");
}

long __wrap_syscall(long number, ...)
{
	return 0;
}

int __wrap_prctl(int option, unsigned long value, ...)
{
	if (option == PR_CAPBSET_READ)
		return value <= LAST_CAPABILITY ? 1 : -1;
	dropped += option == PR_CAPBSET_DROP;
	return option == fails_option ? result("prctl") : 0;
}

int __wrap_setgroups(size_t count, const gid_t *groups)
{
	assert_int_equal(count, 0);
	return result("setgroups");
}

int __wrap_setresgid(gid_t real, gid_t effective, gid_t saved)
{
	return result("setresgid");
}

int __wrap_setresuid(uid_t real, uid_t effective, uid_t saved)
{
	account = real;
	return result("setresuid");
}

int __wrap_cap_set_proc(cap_t capabilities)
{
	return result("cap_set_proc");
}

pid_t __wrap_getppid(void)
{
	return result("getppid") == 0 ? PARENT : 1;
}

static int kept[] = {7};
static char *arguments[] = {(char[]){"program"}, NULL};
static const struct credentials credentials = {
	.program = -1,
	.account = {.uid = 123, .gid = 456},
	.capabilities = {CAP_BPF},
	.capability_count = 1,
	.arguments = arguments,
	.kept = kept,
	.kept_count = 1,
};

static const struct {
	const char *call;
	int option;
	const char *step;
	int error;
} failures[] = {
	{"setsid", 0, "session", EACCES},
	{"signals_reset", 0, "signals", EACCES},
	{"chdir", 0, "root folder", EACCES},
	{"dup2", 0, "standard files", EACCES},
	{"fcntl", 0, "descriptors", EACCES},
	{"prctl", PR_CAPBSET_DROP, "capability bounding set", EACCES},
	{"setgroups", 0, "account", EACCES},
	{"setresgid", 0, "account", EACCES},
	{"prctl", PR_SET_KEEPCAPS, "account", EACCES},
	{"setresuid", 0, "account", EACCES},
	{"cap_set_proc", 0, "capabilities", EACCES},
	{"prctl", PR_CAP_AMBIENT, "capabilities", EACCES},
	{"prctl", PR_SET_NO_NEW_PRIVS, "no_new_privs", EACCES},
	{"prctl", PR_SET_PDEATHSIG, "death signal", EACCES},
	{"getppid", 0, "death signal", ESRCH},
};

static void each_step_that_fails_is_named_with_its_error(void **state)
{
	for (size_t i = 0; i < sizeof(failures) / sizeof(*failures); i++) {
		struct credentials_failure failure = {"", 0};

		fails = failures[i].call;
		fails_option = failures[i].option;
		assert_int_equal(credentials_take(&credentials, PARENT, 2, &failure), -1);
		assert_string_equal(failure.step, failures[i].step);
		assert_int_equal(failure.error, failures[i].error);
	}
}

static void all_steps_together_take_the_account(void **state)
{
	struct credentials_failure failure = {"", 0};

	fails = NULL;
	dropped = 0;
	account = 0;
	assert_int_equal(credentials_take(&credentials, PARENT, 2, &failure), 0);
	assert_string_equal(failure.step, "");
	assert_int_equal(account, 123);
	assert_int_equal(dropped, LAST_CAPABILITY); /* all from 0 on except the listed one */
}

static void program_that_cannot_be_executed_is_named_too(void **state)
{
	struct credentials_failure failure = {"", 0};

	credentials_execute(&credentials, &failure);
	assert_string_equal(failure.step, "execution");
	assert_int_equal(failure.error, EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_step_that_fails_is_named_with_its_error),
		cmocka_unit_test(all_steps_together_take_the_account),
		cmocka_unit_test(program_that_cannot_be_executed_is_named_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
