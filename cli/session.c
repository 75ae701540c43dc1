/* SPDX-License-Identifier: Apache-2.0 */
/* session - state of one recording, and the steps between its phases */

#include "cli/session.h"

#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>

#include "cli/exit_code.h"
#include "cli/own_cost.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"
#include "shared/clock.h"

#define NS_PER_SECOND 1000000000ull
#define NS_PER_MS     1000000ull

void session_init(struct session *session, const struct options *options, int signals)
{
	memset(session, 0, sizeof(*session)); /* too large for a second one on the stack */
	session->options = options;
	session->collector = CHILD_NULL;
	session->symbolizer = CHILD_NULL;
	session->parser = PARSER_RESTART_NULL;
	session->debuginfod = SYMBOLIZER_CHILD_NULL;
	session->opener.child = SYMBOLIZER_CHILD_NULL;
	session->exporter = EXPORTER_NULL;
	session->spool = SPOOL_NULL;
	session->workload = WORKLOAD_NULL;
	session->hotplug = HOTPLUG_NULL;
	session->intervals = INTERVALS_NULL;
	session->signals = signals;
	session->timer = -1;
	session->begun_ns = tm_clock_ns();
}

static void fail(struct session *session, int exit_code)
{
	if (session->exit_code == 0)
		session->exit_code = exit_code;
}

void session_abort(struct session *session, int exit_code)
{
	fail(session, exit_code);
	session->aborted = true;
	session->phase = SESSION_OVER;
	child_kill(&session->collector);
	child_kill(&session->symbolizer);
}

static void set_deadline(struct session *session, uint64_t ms)
{
	session->deadline_ns = tm_clock_ns() + ms * NS_PER_MS;
}

static void begin_finishing(struct session *session)
{
	session->phase = SESSION_FINISHING;
	session->ended_ns = tm_clock_ns();
	session->idle_ended_ns = own_cost_idle_ns();
	intervals_stop(&session->intervals);
	child_measure(&session->collector);
	child_measure(&session->symbolizer);
	terminal_status(session->options->no_lines ? "writing ..."
						   : "reading source lines and writing ...");
}

void session_stop(struct session *session)
{
	if (session->phase != SESSION_RECORDING)
		return;
	begin_finishing(session);
	set_deadline(session, SESSION_COLLECTOR_MS);
	if (child_send(&session->collector, TM_CONTROL_STOP, 0) < 0)
		terminal_verbose("the request to stop could not be sent to %s",
				 session->collector.name);
}

/* The end by -d. Return: 0, -errno. */
static int set_timer(struct session *session)
{
	uint64_t duration = session->options->duration_ns;
	const struct itimerspec timer = {
		.it_value = {(time_t)(duration / NS_PER_SECOND), (long)(duration % NS_PER_SECOND)},
	};

	if (duration == 0)
		return 0;
	session->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (session->timer < 0 || timerfd_settime(session->timer, 0, &timer, NULL) < 0)
		return -errno;
	return 0;
}

void session_started(struct session *session)
{
	const struct options *options = session->options;
	int r;

	if (session->phase != SESSION_LOADING || !session->start_requested)
		return;
	session->phase = SESSION_RECORDING;
	session->started_ns = tm_clock_ns();
	terminal_verbose(
		"attached after %llu ms",
		(unsigned long long)((session->started_ns - session->begun_ns) / NS_PER_MS));
	workload_release(&session->workload);
	r = set_timer(session);
	if (r == 0)
		r = intervals_begin(&session->intervals, options->every_ns, options->jitter_percent,
				    session->started_ns);
	if (r < 0) {
		terminal_print("the recording's timer could not be set: %s", strerror(-r));
		session_abort(session, EXIT_CODE_FAILED);
	}
}

void session_forget_report(struct session *session)
{
	session->result = (struct tm_result){0};
	session->top_count = 0;
	session->output_results = (struct outputs_results){0};
	session->has_last_counts = false;
}

bool session_may_restart(const struct session *session, const struct child *program)
{
	return session->options->restart && session->starter && program == &session->symbolizer &&
	       session->phase == SESSION_RECORDING && session->restarts < SESSION_RESTARTS_MAX &&
	       !session->collector.lost && !session->collector.done;
}

void session_lose(struct session *session, struct child *program, int exit_code)
{
	if (program->lost || program->done)
		return;
	program->lost = true;
	if (session_may_restart(session, program)) {
		session->restart_pending = true; /* the caller still uses the dead one */
		return;
	}
	fail(session, exit_code);
	if (session->phase == SESSION_LOADING) {
		session->phase = SESSION_OVER;
		return;
	}
	if (program == &session->symbolizer) {
		session->death = ACCOUNTING_SYMBOLIZER_DIED;
		session_stop(session);
		return;
	}
	if (session->death == ACCOUNTING_NONE_DIED)
		session->death = ACCOUNTING_COLLECTOR_DIED;
	if (session->phase == SESSION_RECORDING)
		begin_finishing(session);
	set_deadline(session, SESSION_SYMBOLIZER_MS);
}

/* So their unwind tables are there before COMMAND runs. */
static int announce_files(struct session *session)
{
	const struct workload *workload = &session->workload;
	struct tm_control message = {.kind = TM_CONTROL_ANNOUNCE, .code = workload->pid};
	int r = 0;

	for (unsigned i = 0; i < workload->file_count && r == 0; i++) {
		message.value = workload->files[i];
		r = child_send_message(&session->collector, &message, -1);
	}
	return r;
}

/* Once both are loaded, sends the selection and starts the events. */
static void request_start(struct session *session)
{
	const struct options *options = session->options;
	size_t i;
	int r = 0;

	if (session->start_requested || !session->collector.ready || !session->symbolizer.ready)
		return;
	session->start_requested = true;
	for (i = 0; i < options->pid_count && r == 0; i++)
		r = child_send(&session->collector, TM_CONTROL_SELECT, (uint64_t)options->pids[i]);
	if (r == 0 && options->command)
		r = child_send(&session->collector, TM_CONTROL_SELECT,
			       (uint64_t)session->workload.pid);
	if (r == 0)
		r = announce_files(session);
	if (r == 0)
		r = child_send(&session->collector, TM_CONTROL_START, 0);
	if (r < 0)
		terminal_verbose("the request to start could not be sent to %s: %s",
				 session->collector.name, strerror(-r));
}

void session_advance(struct session *session)
{
	bool collector_over = session->collector.done || session->collector.lost;
	bool symbolizer_over = session->symbolizer.done || session->symbolizer.lost;

	if (session->phase == SESSION_LOADING)
		request_start(session);
	if (session->phase == SESSION_RECORDING && collector_over)
		begin_finishing(session);
	if (session->phase != SESSION_FINISHING)
		return;
	if (collector_over && symbolizer_over)
		session->phase = SESSION_OVER;
	else if (collector_over && session->deadline_ns == 0)
		set_deadline(session, SESSION_SYMBOLIZER_MS);
}

void session_deinit(struct session *session)
{
	child_kill(&session->collector);
	child_kill(&session->symbolizer);
	parser_restart_stop(&session->parser, 0);
	symbolizer_child_stop(&session->debuginfod);
	symbolizer_child_stop(&session->opener.child);
	exporter_stop(&session->exporter, 0);
	spool_stop(&session->spool, 0);
	workload_finish(&session->workload);
	hotplug_close(&session->hotplug);
	intervals_close(&session->intervals);
	session->timer = tm_close(session->timer);
}
