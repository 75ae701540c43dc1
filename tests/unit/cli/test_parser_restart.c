/* SPDX-License-Identifier: Apache-2.0 */
/* test_parser_restart - what starts another parser, how often, and what happens if none can be */

#include "tests/unit/cli/check.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/launch.h"
#include "cli/parser_restart.h"
#include "cli/program_arguments.h"
#include "cli/spawn.h"
#include "cli/starter_client.h"
#include "shared/fdpass.h"
#include "tests/unit/cli/serve_preparation.h"

/* In place of the start under another account, which needs root (--wrap). */
int __real_launch_start(const struct launch *launch, struct child *ret_program);
int __wrap_launch_start(const struct launch *launch, struct child *ret_program);

static bool can_start;
static int ends[2]; /* the command's end, the symbolizer's end */
static struct child symbolizer;
static struct preparation preparation;
static struct starter_client starter;

int __wrap_launch_start(const struct launch *launch, struct child *ret_program)
{
	if (!can_start)
		return __real_launch_start(launch, ret_program);
	ret_program->pid = fork();
	if (ret_program->pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			(void)pause(); /* until it is killed */
	}
	assert_true(ret_program->pid > 0);
	ret_program->pidfd = spawn_pidfd(ret_program->pid);
	return ret_program->pidfd < 0;
}

/* It starts parsers, or cannot, as @can says. */
static int fork_starter(bool can)
{
	can_start = can;
	preparation_init(&preparation, NULL);
	preparation.programs[PROGRAM_PATHS_PARSER] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	preparation.accounts.symbolizer = (struct uid_pool_account){getuid(), getgid(), -1};
	return program_arguments_make(&preparation) ||
	       starter_client_fork(&starter, serve_preparation, &preparation) < 0;
}

static void end_starter(void)
{
	starter_client_stop(&starter);
	preparation_forget(&preparation);
}

static int connect_symbolizer(void **state)
{
	symbolizer = CHILD_NULL;
	symbolizer.name = "made-up symbolizer";
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -1;
	symbolizer.control = ends[0];
	return fork_starter(true);
}

static int disconnect_symbolizer(void **state)
{
	(void)close(ends[0]);
	(void)close(ends[1]);
	end_starter();
	return 0;
}

static void lose(struct parser_restart *restart, uint64_t number)
{
	parser_restart_run(restart, number, &starter, &symbolizer);
}

/* Return: the number of the parser that the symbolizer was sent; 0: it was sent none. */
static uint64_t sent_parser(void)
{
	struct tm_control message;
	int fd = -1;

	if (tm_fdpass_recv(ends[1], &message, sizeof(message), &fd, MSG_DONTWAIT) != 0)
		return 0;
	assert_int_equal(message.kind, TM_CONTROL_PARSER);
	assert_true(fd >= 0);
	(void)close(fd);
	return message.value;
}

/* The program cannot be executed, so the symbolizer gets no socket, whose peer would not exist. */
static void parser_that_cannot_be_started_is_not_handed_over(void **state)
{
	struct parser_restart restart = PARSER_RESTART_NULL;

	end_starter();
	assert_int_equal(fork_starter(false), 0);
	lose(&restart, 0);
	assert_int_equal(restart.limit.started, 1);
	assert_int_equal(restart.parser.pidfd, -1);
	assert_int_equal(sent_parser(), 0);
	end_starter();
	assert_int_equal(fork_starter(true), 0);
	lose(&restart, 0); /* it asks again, and this time one starts */
	assert_int_equal(sent_parser(), 1);
	parser_restart_stop(&restart, 0);
}

static void loss_that_is_reported_again_does_not_replace_the_new_parser(void **state)
{
	struct parser_restart restart = PARSER_RESTART_NULL;
	pid_t first;

	lose(&restart, 0);
	first = restart.parser.pid;
	lose(&restart, 0); /* sent before the new parser's socket arrived */
	assert_int_equal(restart.parser.pid, first);
	assert_int_equal(restart.limit.started, 1);
	assert_int_equal(sent_parser(), 1);
	assert_int_equal(sent_parser(), 0);
	lose(&restart, 1);
	assert_int_not_equal(restart.parser.pid, first);
	assert_int_equal(sent_parser(), 2);
	lose(&restart, 0); /* long gone, and one that was never sent */
	lose(&restart, 3);
	assert_int_equal(restart.limit.started, 2);
	assert_int_equal(sent_parser(), 0);
	parser_restart_stop(&restart, 0);
}

static void first_parser_of_another_symbolizer_is_replaced(void **state)
{
	struct parser_restart restart = PARSER_RESTART_NULL;

	lose(&restart, 0);
	assert_int_equal(sent_parser(), 1);
	parser_restart_renumber(&restart);
	lose(&restart, 1); /* what only the one before could lose */
	assert_int_equal(sent_parser(), 0);
	lose(&restart, 0);
	assert_int_equal(sent_parser(), 1);
	parser_restart_stop(&restart, 0);
}

static void parser_that_could_not_be_sent_is_not_counted_as_sent(void **state)
{
	struct parser_restart restart = PARSER_RESTART_NULL;

	(void)shutdown(ends[1], SHUT_RDWR);
	lose(&restart, 0);
	assert_int_equal(restart.limit.started, 1);
	assert_int_equal(restart.number, 0);
	parser_restart_stop(&restart, 0);
}

#define with_symbolizer(test) \
	cmocka_unit_test_setup_teardown(test, connect_symbolizer, disconnect_symbolizer)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_symbolizer(parser_that_cannot_be_started_is_not_handed_over),
		with_symbolizer(loss_that_is_reported_again_does_not_replace_the_new_parser),
		with_symbolizer(first_parser_of_another_symbolizer_is_replaced),
		with_symbolizer(parser_that_could_not_be_sent_is_not_counted_as_sent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
