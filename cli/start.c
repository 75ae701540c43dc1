/* SPDX-License-Identifier: Apache-2.0 */
/* start - makes the sockets between the programs of a recording, and has each of them started */

#include "cli/start.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "cli/exit_code.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"

struct sockets {
	int wire[2];           /* collector, symbolizer */
	int collector_control; /* the program's ends */
	int symbolizer_control;
	int debuginfod; /* the symbolizer's end; -1: there is none */
	int opener;     /* the collector's end; -1: there is none */
};
#define SOCKETS_NULL ((struct sockets){{-1, -1}, -1, -1, -1, -1})

static void sockets_close(struct sockets *sockets)
{
	sockets->wire[0] = tm_close(sockets->wire[0]);
	sockets->wire[1] = tm_close(sockets->wire[1]);
	sockets->collector_control = tm_close(sockets->collector_control);
	sockets->symbolizer_control = tm_close(sockets->symbolizer_control);
	sockets->debuginfod = tm_close(sockets->debuginfod);
	sockets->opener = tm_close(sockets->opener);
}

/* Sending on our end fails after START_SEND_SECONDS if the program does not read. */
static int open_control(int *ret_ours, int *ret_theirs)
{
	const struct timeval patience = {.tv_sec = START_SEND_SECONDS};
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	*ret_ours = pair[0];
	*ret_theirs = pair[1];
	if (setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) < 0)
		return -errno;
	return 0;
}

static int open_sockets(struct sockets *sockets, struct session *session)
{
	int r;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets->wire) < 0)
		return -errno;
	r = open_control(&session->collector.control, &sockets->collector_control);
	if (r == 0)
		r = open_control(&session->symbolizer.control, &sockets->symbolizer_control);
	return r;
}

/* What a program is to get. Return: 0, -EPIPE. */
static int give(struct session *session, enum starter_slot slot, int fd)
{
	return starter_client_give(session->starter, slot, fd);
}

/* Return: 0, or an exit code, after printing why. */
static int start_collector(struct session *session, const struct sockets *sockets)
{
	if (give(session, STARTER_SLOT_CONTROL, sockets->collector_control) < 0 ||
	    give(session, STARTER_SLOT_WIRE, sockets->wire[0]) < 0 ||
	    give(session, STARTER_SLOT_OPENER, sockets->opener) < 0)
		return EXIT_CODE_FAILED;
	return child_start(&session->collector, session->starter, PROGRAM_PATHS_COLLECTOR);
}

static int start_symbolizer(struct session *session, const struct sockets *sockets)
{
	if (give(session, STARTER_SLOT_CONTROL, sockets->symbolizer_control) < 0 ||
	    give(session, STARTER_SLOT_WIRE, sockets->wire[1]) < 0 ||
	    give(session, STARTER_SLOT_DEBUGINFOD, sockets->debuginfod) < 0 ||
	    give(session, STARTER_SLOT_EXPORTER, session->exporter.socket) < 0 ||
	    give(session, STARTER_SLOT_SPOOL, session->spool.socket) < 0)
		return EXIT_CODE_FAILED;
	return child_start(&session->symbolizer, session->starter, PROGRAM_PATHS_SYMBOLIZER);
}

/* Return: the symbolizer's end of its socket; -1: there is none. */
static int start_debuginfod(struct session *session)
{
	if (session->options->debuginfod.count == 0)
		return -1;
	return symbolizer_child_start(&session->debuginfod, session->starter,
				      PROGRAM_PATHS_DEBUGINFOD);
}

int start_programs(struct session *session)
{
	struct sockets sockets = SOCKETS_NULL;
	int r = open_sockets(&sockets, session);

	if (r < 0) {
		terminal_print("the sockets to the programs cannot be made: %s", strerror(-r));
		r = EXIT_CODE_FAILED;
	}
	if (r == 0)
		sockets.opener = opener_start(&session->opener, session->starter);
	if (r == 0)
		r = start_collector(session, &sockets);
	if (r == 0 && session->options->otlp.on)
		exporter_start(&session->exporter, session->starter);
	if (r == 0 && session->options->spool.folder)
		spool_start(&session->spool, session->starter);
	if (r == 0)
		sockets.debuginfod = start_debuginfod(session);
	if (r == 0)
		r = start_symbolizer(session, &sockets);
	sockets_close(&sockets);
	return r;
}

/* The collector's end of the new wire. */
static int attach(struct session *session, const struct sockets *sockets)
{
	int r = child_send_fd(&session->collector, TM_CONTROL_ATTACH, 0, sockets->wire[0]);

	if (r == 0)
		return 0;
	terminal_print("the new symbolizer could not be sent to %s: %s", session->collector.name,
		       strerror(-r));
	return EXIT_CODE_FAILED;
}

int start_symbolizer_again(struct session *session)
{
	struct sockets sockets = SOCKETS_NULL;
	int r = 0;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets.wire) < 0)
		r = -errno;
	if (r == 0)
		r = open_control(&session->symbolizer.control, &sockets.symbolizer_control);
	if (r < 0) {
		terminal_print("the sockets to the symbolizer cannot be made: %s", strerror(-r));
		r = EXIT_CODE_FAILED;
	}
	if (r == 0)
		sockets.debuginfod = start_debuginfod(session);
	if (r == 0)
		r = start_symbolizer(session, &sockets);
	if (r == 0)
		r = attach(session, &sockets);
	sockets_close(&sockets);
	return r;
}
