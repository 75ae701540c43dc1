/* SPDX-License-Identifier: Apache-2.0 */
/* test_opener - the built opener answers every request, even if its worker fails or hangs */

#include "tests/unit/collector/opener_fixture.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "shared/child.h"

static const char *program_path;
static struct tm_child child;

static int start(int (*prepare)(void))
{
	_cleanup_(tm_closep) int program = open(program_path, O_PATH | O_CLOEXEC);
	int r = program < 0 ? -errno : tm_child_start(&child, program, "tidemark-opener", prepare);

	opener_socket = r == 0 ? child.socket : -1;
	return r;
}

static int make(void **state)
{
	return start(NULL);
}

static int unmake(void **state)
{
	uint64_t cpu_ns, rss_bytes;

	tm_child_stop(&child, &cpu_ns, &rss_bytes);
	return 0;
}

/* Waits until the opener has ended. Return: its exit code, -1: a signal. */
static int wait_for_exit(void)
{
	int status = 0;

	assert_int_equal(waitpid(child.pid, &status, 0), child.pid);
	child.pid = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void expect_file_is_served(uint32_t id)
{
	char text[8] = "";
	struct opener_answer answer;
	int fd = -1;

	ask(id);
	(void)expect_answer(id, OPENER_OPENED);
	verdict(id, 1);
	answer = receive_answer(&fd);
	assert_int_equal(answer.id, id);
	assert_int_equal(answer.status, OPENER_HANDED);
	assert_true(fd >= 0);
	assert_int_equal(read(fd, text, sizeof(text)), 7);
	assert_string_equal(text, "content");
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	(void)close(fd);
}

static void accepted_file_is_handed_over(void **state)
{
	expect_file_is_served(1);
	expect_file_is_served(2);
}

static void refused_file_is_reported_as_another_file(void **state)
{
	struct opener_answer answer;

	ask(1);
	do {
		answer = receive_answer(NULL);
		if (answer.status == OPENER_OPENED)
			verdict(1, 0);
	} while (answer.status == OPENER_OPENED);
	assert_int_equal(answer.status, TM_NO_FILE_OTHER);
	expect_file_is_served(2);
}

static void missing_file_is_gone(void **state)
{
	const struct opener_request request = request_for("tmp/no such file", 1);

	send_request(&request);
	(void)expect_answer(1, TM_NO_FILE_GONE);
}

static void first_of_several_paths_is_handed_over_with_its_owner(void **state)
{
	struct opener_request request = request_for("tmp/no such file", 1);
	struct opener_answer answer;
	int fd = -1;

	request.kind = OPENER_PATHS;
	request.owner = getuid();
	memcpy(request.path + request.path_bytes + 1, file_path + 1, strlen(file_path));
	request.path_bytes += 1 + (uint32_t)strlen(file_path);
	send_request(&request);
	assert_int_equal(expect_answer(1, OPENER_OPENED).owner, getuid());
	verdict(1, 1);
	answer = receive_answer(&fd);
	assert_int_equal(answer.status, OPENER_HANDED);
	assert_int_equal(answer.owner, getuid());
	assert_true(fd >= 0);
	(void)close(fd);
	request.path_bytes = 0;
	send_request(&request);
	(void)expect_answer(1, TM_NO_FILE_GONE);
	expect_file_is_served(2); /* its main process has its capabilities still */
}

static void killed_worker_costs_only_its_own_file(void **state)
{
	ask(1);
	assert_int_equal(kill((pid_t)expect_answer(1, OPENER_OPENED).worker, SIGKILL), 0);
	(void)expect_answer(1, TM_NO_FILE_OPENER);
	expect_file_is_served(2);
}

static void verdict_on_another_request_ends_the_worker(void **state)
{
	ask(1);
	(void)expect_answer(1, OPENER_OPENED);
	verdict(7, 1);
	(void)expect_answer(1, TM_NO_FILE_OPENER);
	expect_file_is_served(2);
}

static void worker_beyond_its_deadline_is_a_timeout(void **state)
{
	ask(1);
	(void)expect_answer(1, OPENER_OPENED);
	(void)expect_answer(1, TM_NO_FILE_TIMEOUT);
	verdict(1, 1); /* too late: it is ignored */
	expect_file_is_served(2);
}

static void unknown_kinds_and_stray_verdicts_are_skipped(void **state)
{
	struct opener_request request = request_for(file_path + 1, 1);

	verdict(3, 1);
	request.kind = 0;
	send_request(&request);
	request.kind = UINT32_MAX;
	send_request(&request);
	expect_file_is_served(2);
}

static void unterminated_path_is_answered(void **state)
{
	struct opener_request request = request_for("", 1);

	memset(request.path, 'x', sizeof(request.path));
	request.path_bytes = UINT32_MAX;
	send_request(&request);
	(void)expect_answer(1, TM_NO_FILE_ERROR); /* ENAMETOOLONG */
	expect_file_is_served(2);
}

static void message_of_another_size_ends_the_opener(void **state)
{
	assert_int_equal(send(opener_socket, "short", 5, 0), 5);
	assert_int_equal(wait_for_exit(), 1);
}

static void end_of_the_collector_ends_the_opener(void **state)
{
	child.socket = tm_close(child.socket);
	assert_int_equal(wait_for_exit(), 0);
}

static void end_of_the_collector_within_a_request_is_no_failure_of_the_opener(void **state)
{
	ask(1);
	(void)expect_answer(1, OPENER_OPENED);
	child.socket = tm_close(child.socket);
	assert_int_equal(wait_for_exit(), 0);
}

/* Whoever starts the opener is under a filter that refuses its first step into the sandbox. */
static int forbid_the_sandbox(void)
{
	static struct sock_filter instructions[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_NO_NEW_PRIVS, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	static const struct sock_fprog filter = {sizeof(instructions) / sizeof(*instructions),
						 instructions};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) < 0)
		return -errno;
	return 0;
}

static void opener_that_cannot_enter_its_sandbox_says_so_even_in_a_regular_file(void **state)
{
	char text[256] = "";
	int saved = dup(STDERR_FILENO);
	int errors = memfd_create("stderr", MFD_CLOEXEC);
	int r;

	assert_true(saved >= 0 && dup2(errors, STDERR_FILENO) >= 0);
	r = start(forbid_the_sandbox);
	(void)dup2(saved, STDERR_FILENO);
	(void)close(saved);
	assert_int_equal(r, 0);
	assert_int_equal(wait_for_exit(), 3);
	assert_true(pread(errors, text, sizeof(text) - 1, 0) > 0);
	assert_non_null(strstr(text, "tidemark-opener: cannot enter its sandbox: "));
	(void)close(errors);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make, unmake)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		CASE(accepted_file_is_handed_over),
		CASE(refused_file_is_reported_as_another_file),
		CASE(missing_file_is_gone),
		CASE(first_of_several_paths_is_handed_over_with_its_owner),
		CASE(killed_worker_costs_only_its_own_file),
		CASE(verdict_on_another_request_ends_the_worker),
		CASE(worker_beyond_its_deadline_is_a_timeout),
		CASE(unknown_kinds_and_stray_verdicts_are_skipped),
		CASE(unterminated_path_is_answered),
		CASE(message_of_another_size_ends_the_opener),
		CASE(end_of_the_collector_ends_the_opener),
		CASE(end_of_the_collector_within_a_request_is_no_failure_of_the_opener),
		cmocka_unit_test_teardown(
			opener_that_cannot_enter_its_sandbox_says_so_even_in_a_regular_file,
			unmake),
	};
	int failed;

	if (argc != 2 || make_file() < 0)
		return 2;
	program_path = argv[1];
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	(void)unlink(file_path);
	return failed;
}
