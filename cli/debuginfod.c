/* SPDX-License-Identifier: Apache-2.0 */
/* debuginfod - starts tidemark-debuginfod, which fetches debug files for one symbolizer */

#include "cli/debuginfod.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "cli/launch.h"
#include "cli/program_paths.h"
#include "cli/spawn.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"

/* @socket: its end. Return: 0; else it failed, and why is printed. */
static int start_program(struct child *child, const struct debuginfod_urls *urls, int program,
			 struct uid_pool_account account, int socket)
{
	struct launch launch;
	int r;

	if (launch_init(&launch, program_paths_name(PROGRAM_PATHS_DEBUGINFOD), program, account) <
	    0) {
		terminal_print("tidemark-debuginfod cannot be started: out of memory");
		return -ENOMEM;
	}
	launch_descriptor(&launch, "socket-fd", socket);
	for (size_t i = 0; i < urls->count; i++)
		launch_argument(&launch, "--url=%.*s", (int)urls->items[i].bytes,
				urls->items[i].text);
	r = launch_start(&launch, child);
	launch_deinit(&launch);
	return r;
}

int debuginfod_start(struct debuginfod *debuginfod, const struct debuginfod_urls *urls, int program,
		     struct uid_pool_account account)
{
	_cleanup_(tm_closep) int ours = -1;
	_cleanup_(tm_closep) int theirs = -1;
	int ends[2];

	if (urls->count == 0)
		return -1;
	debuginfod_stop(debuginfod);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
		terminal_print("tidemark-debuginfod cannot be started: no socket: %s",
			       strerror(errno));
		return -1;
	}
	ours = ends[0];
	theirs = ends[1];
	if (start_program(&debuginfod->child, urls, program, account, theirs) != 0)
		return -1;
	return TM_TAKE_FD(ours);
}

void debuginfod_lose(struct debuginfod *debuginfod)
{
	struct child *child = &debuginfod->child;
	char how[64];

	child_print_errors(child);
	child_reap(child);
	spawn_describe(child->status, how, sizeof(how));
	terminal_print("%s ended early %s; no more debug files are fetched from servers",
		       child->name, how);
}

void debuginfod_stop(struct debuginfod *debuginfod)
{
	struct child *child = &debuginfod->child;

	child_print_errors(child);
	child_kill(child);
	debuginfod->cpu_ns += child->cpu_ns;
	if (child->rss_bytes > debuginfod->rss_bytes)
		debuginfod->rss_bytes = child->rss_bytes;
	*child = CHILD_NULL;
}
