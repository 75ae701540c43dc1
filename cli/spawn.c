/* SPDX-License-Identifier: Apache-2.0 */
/* spawn - waits for children of the command and describes how they ended */

#include "cli/spawn.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int spawn_wait(pid_t pid, int *ret_status, struct rusage *ret_usage)
{
	pid_t r;

	do {
		r = wait4(pid, ret_status, 0, ret_usage);
	} while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : 0;
}

int spawn_pidfd(pid_t pid)
{
	long fd = syscall(SYS_pidfd_open, pid, 0);

	return fd < 0 ? -errno : (int)fd;
}

void spawn_describe(int status, char *ret_text, size_t bytes)
{
	if (WIFSIGNALED(status))
		(void)snprintf(ret_text, bytes, "by signal %d (%s)", WTERMSIG(status),
			       strsignal(WTERMSIG(status)));
	else
		(void)snprintf(ret_text, bytes, "with status %d", WEXITSTATUS(status));
}
