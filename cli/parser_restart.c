/* SPDX-License-Identifier: Apache-2.0 */
/* parser_restart - starts another tidemark-parser for a symbolizer that lost its own */

#include "cli/parser_restart.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "cli/terminal.h"
#include "shared/cleanup.h"
#include "shared/clock.h"

/* Its cost belongs to the recording. */
static void end_parser(struct parser_restart *restart)
{
	struct child *parser = &restart->parser;

	child_print_errors(parser);
	child_kill(parser);
	restart->cpu_ns += parser->cpu_ns;
	if (parser->rss_bytes > restart->rss_bytes)
		restart->rss_bytes = parser->rss_bytes;
	*parser = CHILD_NULL;
}

void parser_restart_renumber(struct parser_restart *restart)
{
	restart->number = 0;
}

void parser_restart_run(struct parser_restart *restart, uint64_t lost,
			struct starter_client *starter, struct child *symbolizer)
{
	_cleanup_(tm_closep) int ours = -1;
	_cleanup_(tm_closep) int theirs = -1;
	int ends[2];
	int r;

	if (lost != restart->number)
		return; /* asked again while the answer was under way */
	if (!restart_limit_allows(&restart->limit, tm_clock_ns())) {
		if (restart->limit.refused == 1)
			terminal_print(
				"tidemark-parser ended %u times within a minute and is not "
				"restarted for now: files that are new have neither names nor "
				"unwind tables",
				RESTART_LIMIT_MAX + 1);
		return;
	}
	end_parser(restart);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
		terminal_print("tidemark-parser cannot be restarted: no socket: %s",
			       strerror(errno));
		return;
	}
	ours = ends[0];
	theirs = ends[1];
	if (starter_client_give(starter, STARTER_SLOT_SOCKET, theirs) < 0 ||
	    child_start(&restart->parser, starter, PROGRAM_PATHS_PARSER) != 0)
		return;
	r = child_send_fd(symbolizer, TM_CONTROL_PARSER, restart->number + 1, ours);
	if (r < 0) {
		terminal_verbose("the new parser could not be sent to %s: %s", symbolizer->name,
				 strerror(-r));
		return;
	}
	restart->number++;
	terminal_print("tidemark-parser ended early; restarted it");
}

void parser_restart_stop(struct parser_restart *restart, int wait_ms)
{
	struct pollfd end = {.fd = restart->parser.pidfd, .events = POLLIN};

	if (restart->parser.pidfd >= 0)
		(void)poll(&end, 1, wait_ms);
	end_parser(restart);
}
