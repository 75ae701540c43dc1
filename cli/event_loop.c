/* SPDX-License-Identifier: Apache-2.0 */
/* event_loop - waits for the events of a recording and calls whom they concern */

#include "cli/event_loop.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "cli/control.h"
#include "cli/exit_code.h"
#include "cli/restart.h"
#include "cli/signals.h"
#include "cli/spawn.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"
#include "shared/clock.h"

/* In the order in which they are handled: a message sent before Ctrl-C counts first. */
#define NS_PER_MS 1000000ull

enum source {
	SOURCE_COLLECTOR,
	SOURCE_COLLECTOR_ERRORS,
	SOURCE_COLLECTOR_END,
	SOURCE_SYMBOLIZER,
	SOURCE_SYMBOLIZER_ERRORS,
	SOURCE_SYMBOLIZER_END,
	SOURCE_OPENER_ERRORS,
	SOURCE_OPENER_END,
	SOURCE_DEBUGINFOD_ERRORS,
	SOURCE_DEBUGINFOD_END,
	SOURCE_EXPORTER_ERRORS,
	SOURCE_EXPORTER_END,
	SOURCE_SPOOL_ERRORS,
	SOURCE_SPOOL_END,
	SOURCE_WORKLOAD_REPORT,
	SOURCE_WORKLOAD_END,
	SOURCE_HOTPLUG,
	SOURCE_TIMER,
	SOURCE_INTERVALS,
	SOURCE_SIGNALS,
	SOURCE_N,
};

/* A program's process has ended; the messages that it sent before are read first. */
static void on_exit_of(struct session *session, struct child *program,
		       void (*receive)(struct session *))
{
	char how[64];

	receive(session);
	child_print_errors(program);
	child_reap(program);
	spawn_describe(program->status, how, sizeof(how));
	if (program->done) {
		if (program->status != 0)
			terminal_print("%s finished, then ended %s", program->name, how);
		return;
	}
	if (!program->failed) {
		session->cause_printed = true;
		terminal_print("%s ended %s before it had finished%s", program->name, how,
			       session->phase == SESSION_LOADING ? ""
			       : program == &session->collector
				       ? "; what it had sent until then is written"
			       : session_may_restart(session, program)
				       ? ""
				       : "; nothing can be written");
	}
	session_lose(session, program, EXIT_CODE_FAILED);
}

static void on_signal(struct session *session)
{
	int number = signals_read(session->signals);

	if (number <= 0)
		return;
	session->interrupts++;
	if (session->phase == SESSION_RECORDING) {
		session_stop(session);
		return;
	}
	if (session->phase == SESSION_LOADING)
		terminal_print("interrupted before sampling began; nothing is written");
	else if (session->interrupts > 1)
		terminal_print("aborted; nothing is written");
	else {
		terminal_print("writing the output; press Ctrl-C again to abort");
		return;
	}
	session_abort(session, EXIT_CODE_FAILED);
}

static void on_workload(struct session *session, enum source source)
{
	struct workload *workload = &session->workload;
	int error;

	if (source == SOURCE_WORKLOAD_END) {
		workload_reap(workload);
		return;
	}
	error = workload_executed(workload);
	if (error == 0)
		return;
	terminal_print("%s cannot be run: %s", workload->name, strerror(error));
	session_abort(session, EXIT_CODE_FAILED);
}

static void restart_opener(struct session *session)
{
	opener_restart(&session->opener, session->starter, &session->collector);
}

/* The collector takes the next one once it has loaded its programs. At the end the opener follows
 * the collector, which closes its socket. */
static void on_opener_end(struct session *session)
{
	if (session->starter && session->phase < SESSION_FINISHING)
		restart_opener(session);
	else
		symbolizer_child_stop(&session->opener.child);
}

/* The program whose stderr the source is; NULL: it is another source. */
static struct child *writes_errors(struct session *session, enum source source)
{
	switch (source) {
	case SOURCE_COLLECTOR_ERRORS:
		return &session->collector;
	case SOURCE_SYMBOLIZER_ERRORS:
		return &session->symbolizer;
	case SOURCE_OPENER_ERRORS:
		return &session->opener.child.child;
	case SOURCE_DEBUGINFOD_ERRORS:
		return &session->debuginfod.child;
	case SOURCE_EXPORTER_ERRORS:
		return &session->exporter.child.child;
	case SOURCE_SPOOL_ERRORS:
		return &session->spool.child.child;
	default:
		return NULL;
	}
}

static void dispatch(struct session *session, enum source source)
{
	struct child *errors = writes_errors(session, source);

	if (errors) {
		child_print_errors(errors);
		return;
	}
	switch (source) {
	case SOURCE_SIGNALS:
		on_signal(session);
		return;
	case SOURCE_TIMER:
		session->timer = tm_close(session->timer);
		session_stop(session);
		return;
	case SOURCE_INTERVALS:
		intervals_tick(&session->intervals, session->options, &session->symbolizer);
		return;
	case SOURCE_COLLECTOR:
		control_collector(session);
		return;
	case SOURCE_SYMBOLIZER:
		control_symbolizer(session);
		return;
	case SOURCE_OPENER_END:
		on_opener_end(session);
		return;
	case SOURCE_DEBUGINFOD_END:
		symbolizer_child_lose(&session->debuginfod,
				      "no more debug files are fetched from servers");
		return;
	case SOURCE_EXPORTER_END:
		exporter_end(&session->exporter, session->phase == SESSION_FINISHING);
		return;
	case SOURCE_SPOOL_END:
		spool_end(&session->spool, session->phase == SESSION_FINISHING);
		return;
	case SOURCE_HOTPLUG:
		hotplug_receive(&session->hotplug, &session->collector);
		return;
	case SOURCE_COLLECTOR_END:
		on_exit_of(session, &session->collector, control_collector);
		return;
	case SOURCE_SYMBOLIZER_END:
		on_exit_of(session, &session->symbolizer, control_symbolizer);
		return;
	default:
		on_workload(session, source);
	}
}

static void on_deadline(struct session *session)
{
	struct child *late = &session->symbolizer;

	session->deadline_ns = 0;
	if (!session->collector.done && !session->collector.lost)
		late = &session->collector;
	terminal_print("%s did not finish in time; stopping it", late->name);
	late->failed = true;
	child_kill(late);
	session_lose(session, late, EXIT_CODE_FAILED);
}

/* Messages about CPUs wait in the kernel until the collector is ready to take their events. */
static int hotplug_fd(const struct session *session)
{
	bool can_take = session->collector.ready && session->phase <= SESSION_RECORDING;

	return can_take ? session->hotplug.fd : -1;
}

/* The only place that waits. Return: events at hand, 0: a deadline passed, -errno. */
static int wait_events(const struct session *session, struct pollfd *ret_polled)
{
	const int fds[SOURCE_N] = {
		[SOURCE_SIGNALS] = session->signals,
		[SOURCE_TIMER] = session->timer,
		[SOURCE_COLLECTOR] = session->collector.control,
		[SOURCE_COLLECTOR_ERRORS] = session->collector.errors,
		[SOURCE_COLLECTOR_END] = session->collector.pidfd,
		[SOURCE_SYMBOLIZER] = session->symbolizer.control,
		[SOURCE_SYMBOLIZER_ERRORS] = session->symbolizer.errors,
		[SOURCE_SYMBOLIZER_END] = session->symbolizer.pidfd,
		[SOURCE_OPENER_ERRORS] = session->opener.child.child.errors,
		[SOURCE_OPENER_END] = session->opener.child.child.pidfd,
		[SOURCE_DEBUGINFOD_ERRORS] = session->debuginfod.child.errors,
		[SOURCE_DEBUGINFOD_END] = session->debuginfod.child.pidfd,
		[SOURCE_EXPORTER_ERRORS] = session->exporter.child.child.errors,
		[SOURCE_EXPORTER_END] = session->exporter.child.child.pidfd,
		[SOURCE_SPOOL_ERRORS] = session->spool.child.child.errors,
		[SOURCE_SPOOL_END] = session->spool.child.child.pidfd,
		[SOURCE_WORKLOAD_REPORT] = session->workload.report,
		[SOURCE_WORKLOAD_END] = session->workload.pidfd,
		[SOURCE_HOTPLUG] = hotplug_fd(session),
		[SOURCE_INTERVALS] =
			session->phase == SESSION_RECORDING ? session->intervals.timer : -1,
	};
	uint64_t now = tm_clock_ns();
	int i, r, timeout = -1;

	for (i = 0; i < SOURCE_N; i++)
		ret_polled[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
	if (session->deadline_ns != 0)
		timeout = session->deadline_ns <= now
				  ? 0
				  : (int)((session->deadline_ns - now) / NS_PER_MS) + 1;
	r = poll(ret_polled, SOURCE_N, timeout);
	return r < 0 ? -errno : r;
}

/* Waits for the end of a program that has sent its last message, then closes it. */
static void finish(struct child *program)
{
	struct pollfd end = {.fd = program->pidfd, .events = POLLIN};

	if (program->pidfd >= 0 && !program->ended && program->done)
		(void)poll(&end, 1, SESSION_EXIT_MS);
	else if (program->pidfd >= 0)
		child_end(program);
	child_print_errors(program);
	child_kill(program);
}

int event_loop_run(struct session *session)
{
	struct pollfd polled[SOURCE_N];
	int i, r;

	while (session->phase != SESSION_OVER) {
		r = wait_events(session, polled);
		if (r < 0 && r != -EINTR) {
			terminal_print("waiting for events failed: poll: %s", strerror(-r));
			session_abort(session, EXIT_CODE_FAILED);
		}
		if (r == 0)
			on_deadline(session);
		for (i = 0; r > 0 && i < SOURCE_N && session->phase != SESSION_OVER; i++)
			if (polled[i].revents != 0)
				dispatch(session, (enum source)i);
		restart_if_pending(session);
		/* the collector's counts come every second */
		if (session->phase == SESSION_RECORDING && opener_may_restart(&session->opener))
			restart_opener(session);
		session_advance(session);
	}
	finish(&session->collector);
	opener_stop(&session->opener, SESSION_OPENER_MS);
	finish(&session->symbolizer);
	parser_restart_stop(&session->parser, SESSION_EXIT_MS);
	symbolizer_child_stop(&session->debuginfod);
	exporter_stop(&session->exporter, SESSION_EXPORTER_MS);
	spool_stop(&session->spool, SESSION_SPOOL_MS);
	if (session->peer_text[0] != '\0' && !session->cause_printed)
		terminal_print("%s", session->peer_text);
	terminal_clear_line();
	return session->exit_code;
}
