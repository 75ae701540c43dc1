/* SPDX-License-Identifier: Apache-2.0 */
/* symbolizer_child - a program that works for the symbolizer or the collector over a socket */

#include "cli/symbolizer_child.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "cli/spawn.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"

int symbolizer_child_start(struct symbolizer_child *child, struct starter_client *starter,
			   enum program_paths_program program)
{
	_cleanup_(tm_closep) int ours = -1;
	_cleanup_(tm_closep) int theirs = -1;
	int ends[2];

	symbolizer_child_stop(child);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
		terminal_print("%s cannot be started: no socket: %s", program_paths_name(program),
			       strerror(errno));
		return -1;
	}
	ours = ends[0];
	theirs = ends[1];
	if (starter_client_give(starter, STARTER_SLOT_SOCKET, theirs) < 0 ||
	    child_start(&child->child, starter, program) != 0)
		return -1;
	return TM_TAKE_FD(ours);
}

void symbolizer_child_lose(struct symbolizer_child *child, const char *consequence)
{
	struct child *program = &child->child;
	char how[64];

	child_print_errors(program);
	child_reap(program);
	spawn_describe(program->status, how, sizeof(how));
	terminal_print("%s ended early %s; %s", program->name, how, consequence);
}

void symbolizer_child_stop(struct symbolizer_child *child)
{
	struct child *program = &child->child;

	child_print_errors(program);
	child_kill(program);
	child->cpu_ns += program->cpu_ns;
	if (program->rss_bytes > child->rss_bytes)
		child->rss_bytes = program->rss_bytes;
	*program = CHILD_NULL;
}

void symbolizer_child_end(struct symbolizer_child *child, bool expected, const char *consequence)
{
	child_print_errors(&child->child);
	child_reap(&child->child);
	if (!expected || child->child.status != 0)
		symbolizer_child_lose(child, consequence);
}

void symbolizer_child_await(struct symbolizer_child *child, unsigned ms)
{
	struct pollfd end = {.fd = child->child.pidfd, .events = POLLIN};

	if (end.fd >= 0)
		(void)poll(&end, 1, (int)ms);
	symbolizer_child_stop(child);
}
