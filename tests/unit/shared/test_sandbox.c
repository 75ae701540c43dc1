/* SPDX-License-Identifier: Apache-2.0 */
/* test_sandbox - restrictions and limits hold once they are set */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "shared/sandbox.h"

/* Runs in a child, since no restriction can be lifted. @check: returns 0 or the line that failed.
 */
static void in_a_child(int (*check)(void))
{
	pid_t pid = fork();
	int status = 0;

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(check());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) != 0)
		fail_msg("check %d failed", WEXITSTATUS(status));
}

static int check_hardened(void)
{
	struct rlimit core;

	if (tm_sandbox_harden() != 0)
		return 1;
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		return 2;
	if (!TM_SANITIZED && prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0)
		return 3;
	if (getrlimit(RLIMIT_CORE, &core) != 0 || core.rlim_cur != 0 || core.rlim_max != 0)
		return 4;
	return umask(0) == 077 ? 0 : 5;
}

static void hardening_sets_every_restriction(void **state)
{
	in_a_child(check_hardened);
}

static int check_environment(void)
{
	if (setenv("LD_PRELOAD", "evil.so", 1) != 0 || setenv("NOTIFY_SOCKET", "@n", 1) != 0 ||
	    setenv("NOTIFY_SOCKETS", "no", 1) != 0 || setenv("NOTIFY", "no", 1) != 0)
		return 1;
	if (tm_sandbox_harden() != 0)
		return 2;
	if (getenv("LD_PRELOAD") != NULL || getenv("PATH") != NULL || getenv("HOME") != NULL)
		return 3;
	if (getenv("NOTIFY_SOCKETS") != NULL || getenv("NOTIFY") != NULL)
		return 4;
	if (getenv("NOTIFY_SOCKET") == NULL)
		return 5;
	return environ[0] != NULL && environ[1] == NULL ? 0 : 6;
}

static void only_the_service_managers_variables_stay(void **state)
{
	in_a_child(check_environment);
}

static int check_limits(void)
{
	struct rlimit now;

	if (tm_sandbox_limits(16, 1ul << 30) != 0)
		return 1;
	if (getrlimit(RLIMIT_NOFILE, &now) != 0 || now.rlim_cur != 16 || now.rlim_max != 16)
		return 2;
	if (TM_SANITIZED)
		return 0;
	if (getrlimit(RLIMIT_AS, &now) != 0 || now.rlim_cur != 1ul << 30)
		return 3;
	if (mmap(NULL, 2ul << 30, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
		return 4;
	return 0;
}

static void limits_hold(void **state)
{
	in_a_child(check_limits);
}

static int check_unchanged_limits(void)
{
	struct rlimit files, space, now;

	if (getrlimit(RLIMIT_NOFILE, &files) != 0 || getrlimit(RLIMIT_AS, &space) != 0)
		return 1;
	if (tm_sandbox_limits(0, 0) != 0)
		return 2;
	if (getrlimit(RLIMIT_NOFILE, &now) != 0 || now.rlim_cur != files.rlim_cur)
		return 3;
	return getrlimit(RLIMIT_AS, &now) == 0 && now.rlim_cur == space.rlim_cur ? 0 : 4;
}

static void zero_leaves_a_limit_unchanged(void **state)
{
	in_a_child(check_unchanged_limits);
}

static int check_raising(void)
{
	const struct rlimit low = {32, 32};

	if (setrlimit(RLIMIT_NOFILE, &low) != 0)
		return 1;
	if (setresuid(65534, 65534, 65534) != 0 && geteuid() == 0)
		return 2;
	return tm_sandbox_limits(64, 0) == -EPERM ? 0 : 3;
}

static int check_descriptors(void)
{
	if (tm_sandbox_limits(16, 0) != 0)
		return 1;
	return tm_sandbox_descriptors(8) == 8 && tm_sandbox_descriptors(64) == 16 ? 0 : 2;
}

static void the_hard_limit_is_the_most(void **state)
{
	in_a_child(check_descriptors);
}

static void a_limit_that_cannot_be_set_is_an_error(void **state)
{
	in_a_child(check_raising);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hardening_sets_every_restriction),
		cmocka_unit_test(only_the_service_managers_variables_stay),
		cmocka_unit_test(limits_hold),
		cmocka_unit_test(zero_leaves_a_limit_unchanged),
		cmocka_unit_test(the_hard_limit_is_the_most),
		cmocka_unit_test(a_limit_that_cannot_be_set_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
