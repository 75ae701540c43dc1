/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child - starting the parser before our walls are up, and ending it
 */

#include "symbolizer/child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "shared/err.h"

#define CHILD_END_MS 1000

/* In the child: everything of ours is closed at exec but the one socket. */
static _Noreturn void become(int program, int socket)
{
	char option[32];
	char name[] = "tidemark-parser";
	char *arguments[] = {name, option, NULL};
	char *environment[] = {NULL};

	(void)snprintf(option, sizeof(option), "--socket-fd=%d", socket);
	/* Before 5.11 it is refused; each descriptor that we know of closes at exec anyway. */
	if ((syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC) == 0 || errno == EINVAL) &&
	    fcntl(socket, F_SETFD, 0) == 0)
		(void)syscall(SYS_execveat, program, "", arguments, environment, AT_EMPTY_PATH);
	_exit(127);
}

int child_start(struct child *child, int program)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return tm_err_origin(-errno);
	pid = fork();
	if (pid == 0)
		become(program, ends[1]);
	(void)tm_close(ends[1]);
	if (pid < 0) {
		(void)tm_close(ends[0]);
		return tm_err_origin(-errno);
	}
	*child = (struct child){pid, ends[0]};
	return 0;
}

void child_stop(struct child *child, uint64_t *ret_cpu_ns, uint64_t *ret_rss_bytes)
{
	struct pollfd ended = {.fd = child->socket, .events = 0};
	struct rusage usage = {0};

	*ret_cpu_ns = 0;
	*ret_rss_bytes = 0;
	if (child->socket >= 0) {
		(void)shutdown(child->socket, SHUT_WR);
		(void)poll(&ended, 1, CHILD_END_MS);
		child->socket = tm_close(child->socket);
	}
	/* Its socket closes a moment before it can be waited for; a hung one is not waited for. */
	if (child->pid > 0 &&
	    wait4(child->pid, NULL, ended.revents & POLLHUP ? 0 : WNOHANG, &usage) > 0) {
		*ret_cpu_ns =
			(uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000ull +
			(uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000ull;
		*ret_rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
	}
	child->pid = 0;
}
