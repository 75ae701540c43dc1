/* SPDX-License-Identifier: Apache-2.0 */
/* test_opener_abandoned - workers that survive SIGKILL are counted; too many end their opener */

#include "tests/unit/collector/opener_fixture.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>

int opener_main(int argc, char **argv); /* main of collector/opener/main.c */
int __wrap_kill(pid_t pid, int signal);
int __real_kill(pid_t pid, int signal);

/* Called in the opener: the worker survives, like one that hangs in the kernel. */
int __wrap_kill(pid_t pid, int signal)
{
	return 0;
}

static pid_t opener;
static pid_t workers[OPENER_ABANDONED_MAX];

static int make(void **state)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) < 0)
		return -1;
	opener = fork();
	if (opener == 0) {
		char option[32];
		char *arguments[] = {option, option, NULL};

		(void)close(ends[0]);
		(void)snprintf(option, sizeof(option), "--socket-fd=%d", ends[1]);
		_exit(opener_main(2, arguments));
	}
	(void)close(ends[1]);
	opener_socket = ends[0];
	return opener < 0 ? -1 : 0;
}

static int unmake(void **state)
{
	for (unsigned i = 0; i < OPENER_ABANDONED_MAX; i++)
		if (workers[i] > 0)
			(void)__real_kill(workers[i], SIGKILL);
	opener_socket = tm_close(opener_socket);
	return waitpid(opener, NULL, 0) == opener ? 0 : -1;
}

/* Stops the worker, so that it neither reads a verdict nor ends. */
static void hang(uint32_t id)
{
	ask(id);
	workers[id] = (pid_t)expect_answer(id, OPENER_OPENED).worker;
	assert_int_equal(__real_kill(workers[id], SIGSTOP), 0);
	assert_int_equal(expect_answer(id, TM_NO_FILE_TIMEOUT).abandoned, id + 1);
}

/* Ends a worker, until its opener can reap it. */
static void end(uint32_t id)
{
	int pidfd = (int)syscall(SYS_pidfd_open, workers[id], 0);
	struct pollfd gone = {.fd = pidfd, .events = POLLIN};

	assert_true(pidfd >= 0);
	assert_int_equal(__real_kill(workers[id], SIGKILL), 0);
	assert_int_equal(poll(&gone, 1, -1), 1);
	(void)close(pidfd);
	workers[id] = 0;
}

static void opener_with_too_many_abandoned_workers_ends(void **state)
{
	struct opener_answer answer;

	for (uint32_t id = 0; id < OPENER_ABANDONED_MAX; id++)
		hang(id);
	ask(100);
	assert_int_equal(
		tm_fdpass_recv(opener_socket, &answer, sizeof(answer), /* ret_fd= */ NULL, 0),
		TM_FDPASS_E_CLOSED);
}

static void end_of_an_abandoned_worker_is_noticed(void **state)
{
	for (uint32_t id = 0; id < OPENER_ABANDONED_MAX; id++)
		hang(id);
	end(0);
	ask(100);
	(void)expect_answer(100, OPENER_OPENED);
	verdict(100, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(opener_with_too_many_abandoned_workers_ends, make,
						unmake),
		cmocka_unit_test_setup_teardown(end_of_an_abandoned_worker_is_noticed, make,
						unmake),
	};
	int failed;

	if (make_file() < 0)
		return 2;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	(void)unlink(file_path);
	return failed;
}
