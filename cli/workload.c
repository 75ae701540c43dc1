/* SPDX-License-Identifier: Apache-2.0 */
/* workload - COMMAND, the program that is recorded: waits until sampling is attached, then runs */

#include "cli/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/signals.h"
#include "cli/spawn.h"
#include "shared/cleanup.h"

static const int remembered[] = {RLIMIT_NOFILE, RLIMIT_MEMLOCK};
static struct rlimit limits[2];

void workload_remember_limits(void)
{
	size_t i;

	for (i = 0; i < 2; i++)
		(void)getrlimit((__rlimit_resource_t)remembered[i], &limits[i]);
}

static void restore_limits(void)
{
	size_t i;

	for (i = 0; i < 2; i++)
		(void)setrlimit((__rlimit_resource_t)remembered[i], &limits[i]);
}

/* The child's side. */
static _Noreturn void wait_and_run(char *const argv[], int gate, int report)
{
	int error;
	char go;

	if (read(gate, &go, 1) != 1)
		_exit(127); /* the recording was given up */
	restore_limits();
	if (signals_restore() == 0)
		(void)execvp(argv[0], argv);
	error = errno;
	while (write(report, &error, sizeof(error)) < 0 && errno == EINTR)
		continue;
	_exit(127);
}

int workload_start(struct workload *ret_command, char *const argv[])
{
	int gate[2], report[2], r;

	*ret_command = WORKLOAD_NULL;
	if (pipe2(gate, O_CLOEXEC) < 0)
		return -errno;
	if (pipe2(report, O_CLOEXEC) < 0) {
		r = -errno;
		(void)tm_close(gate[0]);
		(void)tm_close(gate[1]);
		return r;
	}
	ret_command->name = argv[0];
	ret_command->pid = fork();
	r = ret_command->pid < 0 ? -errno : 0;
	if (ret_command->pid == 0) {
		(void)tm_close(gate[1]);
		wait_and_run(argv, gate[0], report[1]);
	}
	(void)tm_close(gate[0]);
	(void)tm_close(report[1]);
	ret_command->gate = gate[1];
	ret_command->report = report[0];
	if (r == 0) {
		ret_command->pidfd = spawn_pidfd(ret_command->pid);
		r = ret_command->pidfd < 0 ? ret_command->pidfd : 0;
	} else {
		ret_command->pid = 0;
	}
	if (r < 0)
		workload_finish(ret_command);
	return r;
}

void workload_release(struct workload *command)
{
	if (command->gate < 0)
		return;
	while (write(command->gate, "g", 1) < 0 && errno == EINTR)
		continue;
	command->gate = tm_close(command->gate);
}

int workload_executed(struct workload *command)
{
	ssize_t got = read(command->report, &command->error, sizeof(command->error));

	if (got != (ssize_t)sizeof(command->error))
		command->error = 0;
	command->report = tm_close(command->report);
	return command->error;
}

void workload_reap(struct workload *command)
{
	if (command->pid <= 0 || command->ended)
		return;
	(void)spawn_wait(command->pid, &command->status, NULL);
	command->ended = 1;
	command->pidfd = tm_close(command->pidfd);
}

void workload_finish(struct workload *command)
{
	struct pollfd ended = {.fd = command->pidfd, .events = POLLIN};

	command->gate = tm_close(command->gate);
	command->report = tm_close(command->report);
	if (command->pid > 0 && !command->ended) {
		(void)kill(command->pid, SIGTERM);
		(void)kill(command->pid, SIGCONT);
		if (poll(&ended, 1, WORKLOAD_END_MS) <= 0)
			(void)kill(command->pid, SIGKILL);
		workload_reap(command);
	}
}

int workload_code(const struct workload *command)
{
	if (WIFSIGNALED(command->status))
		return 128 + WTERMSIG(command->status);
	return WEXITSTATUS(command->status);
}
