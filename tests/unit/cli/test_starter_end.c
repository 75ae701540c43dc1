/* SPDX-License-Identifier: Apache-2.0 */
/* test_starter_end - the starter ends with its command, whatever that has left behind */

#include "tests/unit/cli/check.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/launch.h"
#include "cli/program_arguments.h"
#include "cli/spawn.h"
#include "cli/starter_client.h"
#include "shared/fdpass.h"
#include "tests/unit/cli/serve_preparation.h"

/* In place of the start under another account, which needs root (--wrap). */
int __wrap_launch_start(const struct launch *launch, struct child *ret_program);

static struct preparation preparation;
static struct starter_client starter;

int __wrap_launch_start(const struct launch *launch, struct child *ret_program)
{
	ret_program->pid = fork();
	if (ret_program->pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			(void)pause(); /* until it is killed */
	}
	ret_program->pidfd = spawn_pidfd(ret_program->pid);
	ret_program->errors = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return ret_program->pid < 0 || ret_program->pidfd < 0;
}

static int fork_starter(void)
{
	preparation_init(&preparation, NULL);
	preparation.programs[PROGRAM_PATHS_PARSER] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	preparation.accounts.symbolizer = (struct uid_pool_account){getuid(), getgid(), -1};
	return program_arguments_make(&preparation) ||
	       starter_client_fork(&starter, serve_preparation, &preparation) < 0;
}

static int ask(enum starter_request_kind kind, uint32_t what, int fd)
{
	const struct starter_request request = {.kind = kind, .what = what};

	return tm_fdpass_send(starter.socket, &request, sizeof(request), fd, 0);
}

/* Its own end of the socket, so that the other one never sees an end. */
static int leave_its_end(void)
{
	return ask(STARTER_GIVE, STARTER_SLOT_SOCKET, starter.socket);
}

/* With a program that does not end. */
static int leave_it_waiting(void)
{
	struct starter_client_started started;

	return starter_client_start(&starter, PROGRAM_PATHS_PARSER, &started) ||
	       ask(STARTER_WAIT, PROGRAM_PATHS_PARSER, -1);
}

/* A command that does @what, and is gone then. It is waited for both. */
static void end_of(int (*what)(void))
{
	int ends[2], status;
	pid_t command, left = 0;

	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	command = fork();
	if (command == 0) {
		int r = fork_starter() || what();

		if (write(ends[1], &starter.pid, sizeof(starter.pid)) < 0)
			r = 1;
		_exit(r != 0);
	}
	assert_int_equal(read(ends[0], &left, sizeof(left)), sizeof(left));
	(void)close(ends[0]);
	(void)close(ends[1]);
	assert_int_equal(waitpid(command, &status, 0), command);
	assert_int_equal(status, 0);
	assert_int_equal(waitpid(left, &status, 0), left);
	assert_true(WIFEXITED(status));
}

static void an_end_of_its_socket_that_is_left_with_it_does_not_keep_it(void **state)
{
	end_of(leave_its_end);
}

static void a_program_that_does_not_end_does_not_keep_it(void **state)
{
	end_of(leave_it_waiting);
}

static void programs_are_waited_for_and_started_again(void **state)
{
	struct starter_client_started started;
	struct starter_answer answer;

	assert_int_equal(fork_starter(), 0);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(starter_client_start(&starter, PROGRAM_PATHS_PARSER, &started), 0);
		starter_client_kill(&starter, PROGRAM_PATHS_PARSER);
		assert_int_equal(starter_client_wait(&starter, PROGRAM_PATHS_PARSER, &answer), 0);
		assert_int_equal(answer.status, SIGKILL);
		(void)close(started.pidfd);
		(void)close(started.errors);
	}
	starter_client_stop(&starter);
	preparation_forget(&preparation);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_end_of_its_socket_that_is_left_with_it_does_not_keep_it),
		cmocka_unit_test(a_program_that_does_not_end_does_not_keep_it),
		cmocka_unit_test(programs_are_waited_for_and_started_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
