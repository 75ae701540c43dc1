/* SPDX-License-Identifier: Apache-2.0 */
/* asker - the collector's end of its talk with the opener */

#include "collector/asker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "collector/rights.h"
#include "shared/cleanup.h"
#include "shared/fdpass.h"

static const cap_value_t opener_rights[] = {CAP_SYS_PTRACE, CAP_CHECKPOINT_RESTORE,
					    CAP_DAC_READ_SEARCH};

/* In the child; ends in exec or with status 3. */
static void exec_opener(int program, int socket)
{
	char name[] = "tidemark-opener";
	char option[32];
	char *arguments[] = {name, option, NULL};
	char *environment[] = {NULL};

	(void)snprintf(option, sizeof(option), "--socket-fd=%d", socket);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* it closes all else that it inherits; CLOSE_RANGE_CLOEXEC came only with 5.11 */
	if (rights_keep(opener_rights, sizeof(opener_rights) / sizeof(*opener_rights), true) == 0 &&
	    fcntl(socket, F_SETFD, 0) == 0)
		(void)syscall(SYS_execveat, program, "", arguments, environment, AT_EMPTY_PATH);
	_exit(3);
}

int asker_start(struct asker *asker, int program)
{
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		exec_opener(program, pair[1]);
	(void)close(pair[1]);
	if (pid < 0) {
		(void)close(pair[0]);
		return -EAGAIN;
	}
	*asker = (struct asker){.fd = pair[0], .pid = pid};
	return 0;
}

static int send_request(struct asker *asker, const struct opener_request *request)
{
	int r = tm_fdpass_send(asker->fd, request, sizeof(*request), -1, MSG_DONTWAIT);

	if (r == 0)
		return 0;
	asker->fd = tm_close(asker->fd);
	return -EPIPE;
}

int asker_ask(struct asker *asker, struct opener_request *request)
{
	request->kind = OPENER_ASK;
	request->id = ++asker->id;
	asker->open = true;
	return send_request(asker, request);
}

int asker_verdict(struct asker *asker, bool accepted)
{
	const struct opener_request request = {
		.kind = OPENER_VERDICT, .id = asker->id, .accepted = accepted};

	return send_request(asker, &request);
}

int asker_receive(struct asker *asker, struct opener_answer *ret_answer, int *ret_fd)
{
	while (asker->fd >= 0) {
		_cleanup_(tm_closep) int fd = -1;
		int r = tm_fdpass_recv(asker->fd, ret_answer, sizeof(*ret_answer), &fd,
				       MSG_DONTWAIT);

		if (r == TM_FDPASS_E_AGAIN)
			return r;
		if (r != 0 || ret_answer->status > OPENER_HANDED ||
		    (ret_answer->status == OPENER_HANDED) != (fd >= 0)) {
			asker->fd = tm_close(asker->fd);
			break;
		}
		if (!asker->open || ret_answer->id != asker->id) /* late: that ask is over */
			continue;
		asker->open = ret_answer->status == OPENER_OPENED;
		*ret_fd = TM_TAKE_FD(fd);
		return 0;
	}
	return -EPIPE;
}

void asker_stop(struct asker *asker, struct tm_collector_cost *cost)
{
	struct rusage usage;
	struct pollfd end;

	asker->fd = tm_close(asker->fd);
	if (asker->pid <= 0)
		return;
	end = (struct pollfd){.fd = (int)syscall(SYS_pidfd_open, asker->pid, 0), .events = POLLIN};
	if (end.fd < 0 || poll(&end, 1, ASKER_STOP_MS) <= 0)
		(void)kill(asker->pid, SIGKILL);
	end.fd = tm_close(end.fd);
	(void)waitpid(asker->pid, NULL, 0);
	asker->pid = 0;
	if (getrusage(RUSAGE_CHILDREN, &usage) < 0)
		return;
	cost->child_cpu_ns =
		(uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000ull +
		(uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000ull;
	cost->child_rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
}
