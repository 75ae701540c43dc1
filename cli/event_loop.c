/* SPDX-License-Identifier: Apache-2.0 */
/* event_loop - waits for whatever may happen in a recording, and says to whom it happened */

#include "cli/event_loop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

#include "cli/control.h"
#include "cli/exit_code.h"
#include "cli/restart.h"
#include "cli/signals.h"
#include "cli/spawn.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"

enum source { /* in the order in which they are looked at: a word said before Ctrl-C counts first */
	SOURCE_COLLECTOR,
	SOURCE_COLLECTOR_ERRORS,
	SOURCE_COLLECTOR_END,
	SOURCE_SYMBOLIZER,
	SOURCE_SYMBOLIZER_ERRORS,
	SOURCE_SYMBOLIZER_END,
	SOURCE_COMMAND_REPORT,
	SOURCE_COMMAND_END,
	SOURCE_HOTPLUG,
	SOURCE_TIMER,
	SOURCE_SERIES,
	SOURCE_SIGNALS,
	SOURCE_N,
};

/* A program's process has ended; what it had said is read first. */
static void bury(struct session *session, struct child *program, void (*listen)(struct session *))
{
	char how[64];

	listen(session);
	child_print_errors(program);
	child_reap(program);
	spawn_describe(program->status, how, sizeof(how));
	if (program->done) {
		if (program->status != 0)
			say("%s finished, then ended %s", program->name, how);
		return;
	}
	if (!program->failed) {
		session->told = 1;
		say("%s ended %s before it had finished%s", program->name, how,
		    session->phase == SESSION_LOADING   ? ""
		    : program == &session->collector    ? "; what it had handed over is written"
		    : restart_follows(session, program) ? ""
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
		say("interrupted before sampling began; nothing is written");
	else if (session->interrupts > 1)
		say("given up; nothing is written");
	else {
		say("writing; once more gives up");
		return;
	}
	session_give_up(session, EXIT_CODE_FAILED);
}

static void on_command(struct session *session, enum source source)
{
	struct workload *command = &session->command;
	int error;

	if (source == SOURCE_COMMAND_END) {
		workload_reap(command);
		return;
	}
	error = workload_executed(command);
	if (error == 0)
		return;
	say("%s cannot be run: %s", command->name, strerror(error));
	session_give_up(session, EXIT_CODE_FAILED);
}

static void dispatch(struct session *session, enum source source)
{
	switch (source) {
	case SOURCE_SIGNALS:
		on_signal(session);
		return;
	case SOURCE_TIMER:
		session->timer = tm_close(session->timer);
		session_stop(session);
		return;
	case SOURCE_SERIES:
		intervals_tick(session);
		return;
	case SOURCE_COLLECTOR:
		control_collector(session);
		return;
	case SOURCE_SYMBOLIZER:
		control_symbolizer(session);
		return;
	case SOURCE_COLLECTOR_ERRORS:
		child_print_errors(&session->collector);
		return;
	case SOURCE_SYMBOLIZER_ERRORS:
		child_print_errors(&session->symbolizer);
		return;
	case SOURCE_HOTPLUG:
		hotplug_hear(&session->hotplug, &session->collector);
		return;
	case SOURCE_COLLECTOR_END:
		bury(session, &session->collector, control_collector);
		return;
	case SOURCE_SYMBOLIZER_END:
		bury(session, &session->symbolizer, control_symbolizer);
		return;
	default:
		on_command(session, source);
	}
}

static void on_deadline(struct session *session)
{
	struct child *late = &session->symbolizer;

	session->deadline_ns = 0;
	if (!session->collector.done && !session->collector.lost)
		late = &session->collector;
	say("%s does not answer and is killed", late->name);
	late->failed = 1;
	child_kill(late);
	session_lose(session, late, EXIT_CODE_FAILED);
}

/* Messages about CPUs wait in the kernel until the collector is ready to take their events. */
static int hotplug_fd(const struct session *session)
{
	int hears = session->collector.ready && session->phase <= SESSION_RECORDING;

	return hears ? session->hotplug.fd : -1;
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
		[SOURCE_COMMAND_REPORT] = session->command.report,
		[SOURCE_COMMAND_END] = session->command.pidfd,
		[SOURCE_HOTPLUG] = hotplug_fd(session),
		[SOURCE_SERIES] = session->phase == SESSION_RECORDING ? session->series.timer : -1,
	};
	uint64_t now = session_now_ns();
	int i, r, timeout = -1;

	for (i = 0; i < SOURCE_N; i++)
		ret_polled[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
	if (session->deadline_ns != 0)
		timeout = session->deadline_ns <= now
				  ? 0
				  : (int)((session->deadline_ns - now) / SESSION_NS_PER_MS) + 1;
	r = poll(ret_polled, SOURCE_N, timeout);
	return r < 0 ? -errno : r;
}

/* Both have said their last word; their processes end now. */
static void see_off(struct child *program)
{
	struct pollfd end = {.fd = program->pidfd, .events = POLLIN};

	if (program->pidfd >= 0 && !program->ended && program->done)
		(void)poll(&end, 1, SESSION_EXIT_MS);
	else if (program->pidfd >= 0 && !program->ended)
		(void)kill(program->pid, SIGKILL);
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
			say("poll: %s", strerror(-r));
			session_give_up(session, EXIT_CODE_FAILED);
		}
		if (r == 0)
			on_deadline(session);
		for (i = 0; r > 0 && i < SOURCE_N && session->phase != SESSION_OVER; i++)
			if (polled[i].revents != 0)
				dispatch(session, (enum source)i);
		session_advance(session);
	}
	see_off(&session->collector);
	see_off(&session->symbolizer);
	if (session->peer_text[0] != '\0' && !session->told)
		say("%s", session->peer_text);
	say_wipe();
	return session->outcome;
}
