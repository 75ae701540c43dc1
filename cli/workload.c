/* SPDX-License-Identifier: Apache-2.0 */
/* workload - COMMAND, the recorded program: it waits until sampling is attached, then runs */

#include "cli/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
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
static _Noreturn void wait_and_run(char *const argv[], int gate, int report, int files)
{
	uint64_t addresses[WORKLOAD_FILES_MAX];
	unsigned count = command_files_map(argv[0], addresses);
	int error;
	char go;

	/* These run until the execution. */
	addresses[count++] = (uintptr_t)wait_and_run;
	addresses[count++] = (uintptr_t)execvp;
	(void)send(files, addresses, count * sizeof(*addresses), MSG_NOSIGNAL);
	(void)tm_close(files);
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

static int give_up(struct workload *workload, int error)
{
	workload_finish(workload);
	return -error;
}

/* The child says where it has mapped its files. */
static void receive_files(struct workload *workload, int socket)
{
	struct pollfd said = {.fd = socket, .events = POLLIN};
	ssize_t bytes = -1;

	if (poll(&said, 1, WORKLOAD_FILES_MS) > 0)
		bytes = recv(socket, workload->files, sizeof(workload->files), 0);
	workload->file_count = bytes > 0 ? (unsigned)bytes / sizeof(*workload->files) : 0;
}

int workload_start(struct workload *ret_workload, char *const argv[])
{
	_cleanup_(tm_closep) int gate_there = -1;
	_cleanup_(tm_closep) int report_there = -1;
	_cleanup_(tm_closep) int files_here = -1;
	int pair[2], files_there;

	*ret_workload = WORKLOAD_NULL;
	if (pipe2(pair, O_CLOEXEC) < 0)
		return -errno;
	gate_there = pair[0];
	ret_workload->gate = pair[1];
	if (pipe2(pair, O_CLOEXEC) < 0)
		return give_up(ret_workload, errno);
	ret_workload->report = pair[0];
	report_there = pair[1];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return give_up(ret_workload, errno);
	files_here = pair[0];
	files_there = pair[1];
	ret_workload->name = argv[0];
	ret_workload->pid = fork();
	if (ret_workload->pid == 0) {
		(void)tm_close(ret_workload->gate);
		wait_and_run(argv, gate_there, report_there, files_there);
	}
	if (ret_workload->pid < 0) {
		(void)tm_close(files_there);
		return give_up(ret_workload, errno);
	}
	(void)tm_close(files_there);
	ret_workload->pidfd = spawn_pidfd(ret_workload->pid);
	if (ret_workload->pidfd < 0)
		return give_up(ret_workload, -ret_workload->pidfd);
	receive_files(ret_workload, files_here);
	return 0;
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
