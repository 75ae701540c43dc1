/* SPDX-License-Identifier: Apache-2.0 */
/* child - starts a program of ours with one end of a socketpair, and stops it */

#include "shared/child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "shared/cleanup.h"

static int close_between(int from, int to)
{
	return from > to ? 0 : (int)syscall(SYS_close_range, from, to, 0);
}

/*
 * Runs in the child. Of the parent's descriptors only the standard streams, the socket and, until
 * exec, the program stay open.
 */
static _Noreturn void exec_program(int program, const char *name, int (*prepare)(void), int socket)
{
	char option[32];
	char *arguments[] = {(char *)(size_t)name, option, NULL};
	char *environment[] = {NULL};

	int low = program < socket ? program : socket, high = program < socket ? socket : program;

	(void)snprintf(option, sizeof(option), "--socket-fd=%d", socket);
	if (close_between(3, low - 1) == 0 && close_between(low + 1, high - 1) == 0 &&
	    close_between(high + 1, INT_MAX) == 0 && (!prepare || prepare() == 0) &&
	    fcntl(program, F_SETFD, FD_CLOEXEC) == 0 && fcntl(socket, F_SETFD, 0) == 0)
		(void)syscall(SYS_execveat, program, "", arguments, environment, AT_EMPTY_PATH);
	_exit(127);
}

int tm_child_start(struct tm_child *child, int program, const char *name, int (*prepare)(void))
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		exec_program(program, name, prepare, ends[1]);
	(void)tm_close(ends[1]);
	if (pid < 0) {
		(void)tm_close(ends[0]);
		return -EAGAIN;
	}
	*child = (struct tm_child){pid, ends[0]};
	return 0;
}

void tm_child_stop(struct tm_child *child, uint64_t *ret_cpu_ns, uint64_t *ret_rss_bytes)
{
	struct pollfd ended = {.fd = child->socket, .events = 0};
	struct rusage usage = {0};

	*ret_cpu_ns = 0;
	*ret_rss_bytes = 0;
	if (child->socket >= 0) {
		(void)shutdown(child->socket, SHUT_WR);
		(void)poll(&ended, 1, TM_CHILD_END_MS);
		child->socket = tm_close(child->socket);
	}
	/* The socket closes a moment before the child can be reaped, so wait4 may block then; a
	 * child that hangs is not waited for. */
	if (child->pid > 0 &&
	    wait4(child->pid, NULL, ended.revents & POLLHUP ? 0 : WNOHANG, &usage) > 0) {
		*ret_cpu_ns =
			(uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000ull +
			(uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000ull;
		*ret_rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
	}
	child->pid = 0;
}
