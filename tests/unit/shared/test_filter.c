/* SPDX-License-Identifier: Apache-2.0 */
/* test_filter - each form of a filter's rule allows the calls that match and stops those that do
 * not */

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "shared/sandbox.h"

#include "forms_filter.h"

#define X32          0x40000000l /* __X32_SYSCALL_BIT, arch/x86/include/uapi/asm/unistd.h */
#define NOT_FILTERED 120

static int under_filter(long number, long a, long b, long c)
{
	pid_t pid = fork();
	int status = 0;

	assert_true(pid >= 0);
	if (pid == 0) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
		    tm_sandbox_filter(&forms_filter) != 0)
			_exit(NOT_FILTERED);
		/* mmap's other arguments: private, anonymous, no file */
		if (syscall(number, a, b, c, (long)(MAP_PRIVATE | MAP_ANONYMOUS), -1l, 0l) < 0)
			_exit(errno);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void allowed(long number, long a, long b, long c)
{
	int status = under_filter(number, a, b, c);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void killed(long number, long a, long b, long c)
{
	int status = under_filter(number, a, b, c);

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSYS);
}

static void refused(long number, long a, long b, long c, int error)
{
	int status = under_filter(number, a, b, c);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), error);
}

static void unlisted_call_is_killed(void **state)
{
	allowed(SYS_getppid, 0, 0, 0);
	killed(SYS_getpid, 0, 0, 0);
	killed(SYS_execve, 0, 0, 0);
	killed(SYS_clone, 0, 0, 0);
	killed(SYS_ptrace, 0, 0, 0);
}

static void number_must_match(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	allowed(SYS_lseek, fd, 0, 1);
	killed(SYS_lseek, fd, 0, 0);
	killed(SYS_lseek, fd, 0, 2);
	/* All 64 bits are compared. */
	killed(SYS_lseek, fd, 0, 1l << 32 | 1);
	allowed(SYS_getpriority, 0, 0, 0);
	killed(SYS_getpriority, 1, 0, 0);
	close(fd);
}

static void lines_of_one_name_are_alternatives(void **state)
{
	allowed(SYS_fcntl, 0, F_GETFD, 0);
	allowed(SYS_fcntl, 0, F_GETFL, 0);
	killed(SYS_fcntl, 0, F_SETFL, 0);
}

static void conditions_of_one_line_must_all_hold(void **state)
{
	allowed(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	killed(SYS_socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	killed(SYS_socket, AF_UNIX, SOCK_STREAM, 0);
	killed(SYS_socket, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

static void masked_bits_decide(void **state)
{
	allowed(SYS_mmap, 0, 4096, PROT_READ);
	allowed(SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE);
	refused(SYS_mmap, 0, 4096, PROT_READ | PROT_EXEC, EACCES);
	refused(SYS_mmap, 0, 4096, PROT_EXEC, EACCES);
}

static void negative_int_matches_however_it_is_extended(void **state)
{
	refused(SYS_unlinkat, AT_FDCWD, 0, 0, ENOENT);
	refused(SYS_unlinkat, (long)(uint32_t)AT_FDCWD, 0, 0, ENOENT);
	killed(SYS_unlinkat, 0, 0, 0);
	killed(SYS_unlinkat, -101, 0, 0);
}

static void errno_without_conditions_refuses_always(void **state)
{
	refused(SYS_getuid, 0, 0, 0, EPERM);
}

static void x32_calls_are_killed(void **state)
{
	killed(SYS_getppid | X32, 0, 0, 0);
	killed(SYS_exit_group | X32, 0, 0, 0);
}

static void the_filter_needs_no_new_privs(void **state)
{
	pid_t pid = fork();
	int status = 0;

	assert_true(pid >= 0);
	if (pid == 0) {
		if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)
			_exit(1);
		_exit(tm_sandbox_filter(&forms_filter) == -EACCES ? 0 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void empty_filter_is_an_error(void **state)
{
	const struct tm_filter none = {forms_filter_code, 0};

	assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	assert_int_equal(tm_sandbox_filter(&none), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_filter_needs_no_new_privs),
		cmocka_unit_test(unlisted_call_is_killed),
		cmocka_unit_test(number_must_match),
		cmocka_unit_test(lines_of_one_name_are_alternatives),
		cmocka_unit_test(conditions_of_one_line_must_all_hold),
		cmocka_unit_test(masked_bits_decide),
		cmocka_unit_test(negative_int_matches_however_it_is_extended),
		cmocka_unit_test(errno_without_conditions_refuses_always),
		cmocka_unit_test(x32_calls_are_killed),
		cmocka_unit_test(empty_filter_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
