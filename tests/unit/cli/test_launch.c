/* SPDX-License-Identifier: Apache-2.0 */
/* test_launch - if a program cannot be started, the reason is on stderr and nothing is left
 * running */

#include "tests/unit/cli/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/credentials.h"
#include "cli/exit_code.h"
#include "cli/launch.h"
#include "shared/cleanup.h"

/* Replaces the change of identity, which needs root (--wrap). */
int __wrap_credentials_take(const struct credentials *credentials, pid_t parent, int errors,
			    struct credentials_failure *ret_failure);

static int step_error; /* 0: every step succeeds */

int __wrap_credentials_take(const struct credentials *credentials, pid_t parent, int errors,
			    struct credentials_failure *ret_failure)
{
	*ret_failure = (struct credentials_failure){"account", step_error};
	return step_error ? -1 : 0;
}

static struct launch launch;
static struct child program;
static char printed[512];

static int make(void **state)
{
	step_error = 0;
	program = CHILD_NULL;
	return launch_init(&launch, "program", -1, (struct uid_pool_account){0});
}

static int unmake(void **state)
{
	child_kill(&program);
	launch.credentials.program = tm_close(launch.credentials.program);
	launch_deinit(&launch);
	return 0;
}

/* Starts the program while stderr goes to @printed. Return: as launch_start(). */
static int start(void)
{
	int saved = dup(STDERR_FILENO);
	int text = memfd_create("stderr", MFD_CLOEXEC);
	ssize_t bytes;
	int r;

	assert_true(saved >= 0 && dup2(text, STDERR_FILENO) >= 0);
	r = launch_start(&launch, &program);
	(void)dup2(saved, STDERR_FILENO);
	bytes = pread(text, printed, sizeof(printed) - 1, 0);
	printed[bytes > 0 ? bytes : 0] = '\0';
	(void)close(text);
	(void)close(saved);
	return r;
}

static void expect_refusal(int exit_code, const char *text)
{
	assert_int_equal(start(), exit_code);
	assert_non_null(strstr(printed, text));
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
}

static void step_that_is_not_permitted_is_a_refusal_by_the_host(void **state)
{
	step_error = EPERM;
	expect_refusal(EXIT_CODE_HOST,
		       "program cannot be started: account: Operation not permitted\n");
}

static void step_that_fails_otherwise_is_a_failure(void **state)
{
	step_error = ENOMEM;
	expect_refusal(EXIT_CODE_FAILED,
		       "program cannot be started: account: Cannot allocate memory\n");
}

static void file_that_is_no_program_is_a_failure(void **state)
{
	launch.credentials.program = open("/dev/null", O_RDONLY | O_CLOEXEC);
	expect_refusal(EXIT_CODE_FAILED,
		       "program cannot be started: execution: Permission denied\n");
}

static void too_many_arguments_start_nothing(void **state)
{
	for (unsigned i = 0; i < LAUNCH_ARGUMENTS_MAX; i++)
		launch_argument(&launch, "--n=%u", i);
	expect_refusal(EXIT_CODE_FAILED, "program cannot be started: ");
}

static void too_many_capabilities_start_nothing(void **state)
{
	for (unsigned i = 0; i <= CREDENTIALS_CAPABILITIES_MAX; i++)
		launch_capability(&launch, CAP_BPF);
	expect_refusal(EXIT_CODE_FAILED, "program cannot be started: ");
}

static void missing_descriptors_start_nothing(void **state)
{
	struct rlimit limit;
	rlim_t before;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	before = limit.rlim_cur;
	for (limit.rlim_cur = 0; fcntl((int)limit.rlim_cur, F_GETFD) >= 0;)
		limit.rlim_cur++;
	limit.rlim_cur += 3; /* this test takes two for stderr; one is left, too few for a pipe */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	expect_refusal(EXIT_CODE_FAILED, "program cannot be started: Too many open files\n");
	limit.rlim_cur = before;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void program_that_is_executed_runs(void **state)
{
	int status = 0;

	launch.credentials.program = open("/bin/true", O_PATH | O_CLOEXEC);
	assert_int_equal(start(), 0);
	assert_string_equal(printed, "");
	assert_true(program.pid > 0 && program.pidfd >= 0 && program.errors >= 0);
	assert_int_equal(waitpid(program.pid, &status, 0), program.pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	program.pid = 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(step_that_is_not_permitted_is_a_refusal_by_the_host),
		CASE(step_that_fails_otherwise_is_a_failure),
		CASE(file_that_is_no_program_is_a_failure),
		CASE(too_many_arguments_start_nothing),
		CASE(too_many_capabilities_start_nothing),
		CASE(missing_descriptors_start_nothing),
		CASE(program_that_is_executed_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
