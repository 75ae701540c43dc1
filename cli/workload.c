/* SPDX-License-Identifier: Apache-2.0 */
/* workload - COMMAND, the recorded program: it waits until sampling is attached, then runs */

#include "cli/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/signals.h"
#include "cli/spawn.h"
#include "cli/starter_client.h"
#include "cli/terminal.h"
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

/* Runs in the child. */
static _Noreturn void wait_and_run(char *const argv[], int gate, int report)
{
	int error;
	char go;

	if (read(gate, &go, 1) != 1)
		_exit(127); /* the recording was aborted */
	restore_limits();
	if (signals_restore() == 0)
		(void)execvp(argv[0], argv);
	error = errno;
	while (write(report, &error, sizeof(error)) < 0 && errno == EINTR)
		continue;
	_exit(127);
}

int workload_start(struct workload *ret_workload, char *const argv[])
{
	int gate[2], report[2], r;

	*ret_workload = WORKLOAD_NULL;
	if (pipe2(gate, O_CLOEXEC) < 0)
		return -errno;
	if (pipe2(report, O_CLOEXEC) < 0) {
		r = -errno;
		(void)tm_close(gate[0]);
		(void)tm_close(gate[1]);
		return r;
	}
	ret_workload->name = argv[0];
	ret_workload->pid = fork();
	r = ret_workload->pid < 0 ? -errno : 0;
	if (ret_workload->pid == 0) {
		(void)tm_close(gate[1]);
		wait_and_run(argv, gate[0], report[1]);
	}
	(void)tm_close(gate[0]);
	(void)tm_close(report[1]);
	ret_workload->gate = gate[1];
	ret_workload->report = report[0];
	if (r == 0) {
		ret_workload->pidfd = spawn_pidfd(ret_workload->pid);
		r = ret_workload->pidfd < 0 ? ret_workload->pidfd : 0;
	} else {
		ret_workload->pid = 0;
	}
	if (r < 0)
		workload_finish(ret_workload);
	return r;
}

void workload_release(struct workload *workload)
{
	if (workload->gate < 0)
		return;
	while (write(workload->gate, "g", 1) < 0 && errno == EINTR)
		continue;
	workload->gate = tm_close(workload->gate);
}

int workload_executed(struct workload *workload)
{
	ssize_t got = read(workload->report, &workload->error, sizeof(workload->error));

	if (got != (ssize_t)sizeof(workload->error))
		workload->error = 0;
	workload->report = tm_close(workload->report);
	return workload->error;
}

void workload_reap(struct workload *workload)
{
	if (workload->pid <= 0 || workload->ended)
		return;
	(void)spawn_wait(workload->pid, &workload->status, NULL);
	workload->ended = true;
	workload->pidfd = tm_close(workload->pidfd);
}

static int send_signal(const struct workload *workload, int number)
{
	if (workload->starter)
		return starter_client_signal(workload->starter, number);
	return kill(workload->pid, number) < 0 ? -errno : 0;
}

static void say_left(const struct workload *workload)
{
	terminal_print("%s goes on, as nobody is left who may end it", workload->name);
}

void workload_finish(struct workload *workload)
{
	struct pollfd ended = {.fd = workload->pidfd, .events = POLLIN};
	const bool runs = workload->gate < 0; /* else it ends once that is closed */

	workload->gate = tm_close(workload->gate);
	workload->report = tm_close(workload->report);
	if (workload->pid <= 0 || workload->ended)
		return;
	if (send_signal(workload, SIGTERM) == -EPIPE && runs) {
		say_left(workload);
		return;
	}
	(void)send_signal(workload, SIGCONT);
	if (poll(&ended, 1, WORKLOAD_END_MS) <= 0 && send_signal(workload, SIGKILL) == -EPIPE) {
		say_left(workload);
		return;
	}
	workload_reap(workload);
}

int workload_code(const struct workload *workload)
{
	if (WIFSIGNALED(workload->status))
		return 128 + WTERMSIG(workload->status);
	return WEXITSTATUS(workload->status);
}
