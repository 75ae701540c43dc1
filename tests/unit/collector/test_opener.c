/* SPDX-License-Identifier: Apache-2.0 */
/* test_opener - the built opener serves every request, whatever becomes of the workers of others */

#include "tests/unit/collector/opener_fixture.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "shared/child.h"

static const char *program_path;
static struct tm_child child;
static pid_t stopped[OPENER_WORKERS_MAX]; /* workers; 0: none */

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

	for (unsigned i = 0; i < OPENER_WORKERS_MAX; i++)
		if (stopped[i])
			(void)kill(stopped[i], SIGKILL);
	memset(stopped, 0, sizeof(stopped));
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

/* The worker has opened the file; accepts it. */
static void expect_handed(int worker)
{
	char text[8] = "";
	int fd = -1;

	verdict(worker, 1);
	assert_int_equal(receive_answer(worker, &fd).status, OPENER_HANDED);
	assert_true(fd >= 0);
	assert_int_equal(read(fd, text, sizeof(text)), 7);
	assert_string_equal(text, "content");
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	(void)close(fd);
	expect_end(worker);
}

static void expect_file_is_served(void)
{
	int worker = ask();

	(void)expect_answer(worker, OPENER_OPENED);
	expect_handed(worker);
}

static void accepted_file_is_handed_over(void **state)
{
	expect_file_is_served();
	expect_file_is_served();
}

static void refused_file_is_reported_as_another_file(void **state)
{
	struct opener_answer answer;
	int worker = ask();

	do {
		answer = receive_answer(worker, NULL);
		if (answer.status == OPENER_OPENED)
			verdict(worker, 0);
	} while (answer.status == OPENER_OPENED);
	assert_int_equal(answer.status, TM_NO_FILE_OTHER);
	expect_end(worker);
	expect_file_is_served();
}

static void missing_file_is_gone(void **state)
{
	const struct opener_request request = request_for("tmp/no such file");
	int worker = ask_for(&request);

	(void)expect_answer(worker, TM_NO_FILE_GONE);
	expect_end(worker);
}

static void first_of_several_paths_is_handed_over_with_its_owner(void **state)
{
	struct opener_request request = request_for("tmp/no such file");
	int worker;

	request.kind = OPENER_PATHS;
	request.owner = getuid();
	memcpy(request.path + request.path_bytes + 1, file_path + 1, strlen(file_path));
	request.path_bytes += 1 + (uint32_t)strlen(file_path);
	worker = ask_for(&request);
	assert_int_equal(expect_answer(worker, OPENER_OPENED).owner, getuid());
	expect_handed(worker);
	request.path_bytes = 0;
	worker = ask_for(&request);
	(void)expect_answer(worker, TM_NO_FILE_GONE);
	expect_end(worker);
	expect_file_is_served(); /* its main process has its capabilities still */
}

/* What keeps a worker from answering, a file or who should say whether it is the right one, keeps
 * no other: those that were asked for later are handed over first. */
static void several_are_served_at_a_time(void **state)
{
	int workers[OPENER_LANES];

	for (unsigned i = 0; i < OPENER_LANES; i++)
		workers[i] = ask();
	for (unsigned i = OPENER_LANES; i-- > 0;) {
		(void)expect_answer(workers[i], OPENER_OPENED);
		expect_handed(workers[i]);
	}
}

static void killed_worker_costs_only_its_own_file(void **state)
{
	int worker = ask();

	assert_int_equal(kill((pid_t)expect_answer(worker, OPENER_OPENED).worker, SIGKILL), 0);
	expect_end(worker);
	expect_file_is_served();
}

static void verdict_of_another_size_ends_the_worker(void **state)
{
	int worker = ask();

	(void)expect_answer(worker, OPENER_OPENED);
	assert_int_equal(send(worker, "short", 5, 0), 5);
	expect_end(worker);
	expect_file_is_served();
}

static void end_of_the_request_ends_the_worker(void **state)
{
	int worker = ask();
	pid_t pid = (pid_t)expect_answer(worker, OPENER_OPENED).worker;
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd ended = {.fd = pidfd, .events = POLLIN};

	(void)close(worker);
	assert_true(pidfd < 0 || poll(&ended, 1, ANSWER_MS) == 1);
	(void)tm_close(pidfd);
	expect_file_is_served();
}

/* Even if whoever started the opener had that signal blocked and ignored. This one has no room for
 * its first answer. */
static void worker_ends_at_its_deadline(void **state)
{
	const struct opener_request request = request_for(file_path + 1);
	struct pollfd end = {.events = 0};
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	while (send(ends[1], "", 1, MSG_DONTWAIT) == 1)
		;
	assert_int_equal(tm_fdpass_send(opener_socket, &request, sizeof(request), ends[1], 0), 0);
	(void)close(ends[1]);
	end.fd = ends[0];
	assert_int_equal(poll(&end, 1, ANSWER_MS), 1);
	assert_int_equal(end.revents, POLLHUP);
	(void)close(ends[0]);
	expect_file_is_served();
}

static void collector_may_take_its_time_for_the_verdict(void **state)
{
	int worker = ask();
	struct pollfd answer = {.fd = worker, .events = POLLIN};

	(void)expect_answer(worker, OPENER_OPENED);
	assert_int_equal(poll(&answer, 1, OPENER_DEADLINE_MS + OPENER_DEATH_MS), 0);
	expect_handed(worker);
}

static int block_signals(void)
{
	sigset_t all;

	(void)sigfillset(&all);
	(void)sigaction(SIGALRM, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
	return sigprocmask(SIG_BLOCK, &all, NULL);
}

static int make_blocked(void **state)
{
	return start(block_signals);
}

static void unterminated_path_is_answered(void **state)
{
	struct opener_request request = request_for("");
	int worker;

	memset(request.path, 'x', sizeof(request.path));
	request.path_bytes = UINT32_MAX;
	worker = ask_for(&request);
	(void)expect_answer(worker, TM_NO_FILE_ERROR); /* ENAMETOOLONG */
	expect_end(worker);
	expect_file_is_served();
}

static void unknown_kind_ends_the_opener(void **state)
{
	struct opener_request request = request_for(file_path + 1);

	request.kind = OPENER_PERF_MAP + 1;
	expect_end(send_request(&request));
	assert_int_equal(wait_for_exit(), 1);
}

static void request_without_a_socket_ends_the_opener(void **state)
{
	const struct opener_request request = request_for(file_path + 1);

	assert_int_equal(tm_fdpass_send(opener_socket, &request, sizeof(request), -1, 0), 0);
	assert_int_equal(wait_for_exit(), 1);
}

static void message_of_another_size_ends_the_opener(void **state)
{
	assert_int_equal(send(opener_socket, "short", 5, 0), 5);
	assert_int_equal(wait_for_exit(), 1);
}

/* Stops a worker: like one that hangs in the kernel, it survives its deadline. */
static void hang(uint32_t which)
{
	int socket = ask();

	stopped[which] = (pid_t)expect_answer(socket, OPENER_OPENED).worker;
	assert_int_equal(kill(stopped[which], SIGSTOP), 0);
	(void)close(socket);
}

static void end(uint32_t which)
{
	int pidfd = (int)syscall(SYS_pidfd_open, stopped[which], 0);
	struct pollfd gone = {.fd = pidfd, .events = POLLIN};

	assert_true(pidfd >= 0);
	assert_int_equal(kill(stopped[which], SIGKILL), 0);
	assert_int_equal(poll(&gone, 1, -1), 1);
	(void)close(pidfd);
	stopped[which] = 0;
}

static void opener_with_too_many_abandoned_workers_ends(void **state)
{
	const struct opener_request request = request_for(file_path + 1);

	for (uint32_t i = 0; i < OPENER_WORKERS_MAX; i++)
		hang(i);
	expect_end(send_request(&request));
	assert_int_equal(wait_for_exit(), 1);
}

static void end_of_an_abandoned_worker_is_noticed(void **state)
{
	int socket;

	for (uint32_t i = 0; i < OPENER_WORKERS_MAX; i++)
		hang(i);
	end(0);
	socket = ask();
	(void)expect_answer(socket, OPENER_OPENED);
	(void)close(socket);
}

static void end_of_the_collector_ends_the_opener(void **state)
{
	child.socket = tm_close(child.socket);
	assert_int_equal(wait_for_exit(), 0);
}

static void end_of_the_collector_within_a_request_is_no_failure_of_the_opener(void **state)
{
	int worker = ask();

	(void)expect_answer(worker, OPENER_OPENED);
	child.socket = tm_close(child.socket);
	assert_int_equal(wait_for_exit(), 0);
	expect_end(worker);
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
		CASE(several_are_served_at_a_time),
		CASE(killed_worker_costs_only_its_own_file),
		CASE(verdict_of_another_size_ends_the_worker),
		CASE(end_of_the_request_ends_the_worker),
		cmocka_unit_test_setup_teardown(worker_ends_at_its_deadline, make_blocked, unmake),
		cmocka_unit_test_setup_teardown(collector_may_take_its_time_for_the_verdict, make,
						unmake),
		CASE(unterminated_path_is_answered),
		CASE(unknown_kind_ends_the_opener),
		CASE(request_without_a_socket_ends_the_opener),
		CASE(message_of_another_size_ends_the_opener),
		CASE(opener_with_too_many_abandoned_workers_ends),
		CASE(end_of_an_abandoned_worker_is_noticed),
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
