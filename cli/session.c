/* SPDX-License-Identifier: Apache-2.0 */
/* session - one recording from "both programs run" to "both have finished": the only event loop */

#include "cli/session.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>

#include "cli/dialogue.h"
#include "cli/outcome.h"
#include "cli/progress.h"
#include "cli/say.h"
#include "cli/signals.h"
#include "cli/spawn.h"
#include "shared/cleanup.h"

#define NS_PER_SECOND 1000000000ull
#define NS_PER_MS     1000000ull

enum source {
	SOURCE_SIGNALS,
	SOURCE_TIMER,
	SOURCE_COLLECTOR,
	SOURCE_COLLECTOR_ERRORS,
	SOURCE_COLLECTOR_END,
	SOURCE_SYMBOLIZER,
	SOURCE_SYMBOLIZER_ERRORS,
	SOURCE_SYMBOLIZER_END,
	SOURCE_COMMAND_REPORT,
	SOURCE_COMMAND_END,
	SOURCE_N,
};

uint64_t session_now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

void session_init(struct session *session, const struct options *options, int signals)
{
	*session = (struct session){
		.options = options,
		.collector = PROGRAM_NULL,
		.symbolizer = PROGRAM_NULL,
		.command = COMMAND_NULL,
		.signals = signals,
		.timer = -1,
		.begun_ns = session_now_ns(),
	};
}

static void fail(struct session *session, int outcome)
{
	if (session->outcome == 0)
		session->outcome = outcome;
}

void session_give_up(struct session *session, int outcome)
{
	fail(session, outcome);
	session->phase = SESSION_OVER;
	program_kill(&session->collector);
	program_kill(&session->symbolizer);
}

static void set_deadline(struct session *session, uint64_t ms)
{
	session->deadline_ns = session_now_ns() + ms * NS_PER_MS;
}

static void begin_finishing(struct session *session)
{
	session->phase = SESSION_FINISHING;
	session->ended_ns = session_now_ns();
	program_measure(&session->collector);
	program_measure(&session->symbolizer);
	progress_word("writing ...");
}

void session_stop(struct session *session)
{
	if (session->phase != SESSION_RECORDING)
		return;
	begin_finishing(session);
	set_deadline(session, SESSION_COLLECTOR_MS);
	if (program_send(&session->collector, TM_CONTROL_STOP, 0) < 0)
		say_more("%s does not take STOP", session->collector.name);
}

void session_started(struct session *session)
{
	struct itimerspec timer = {0};

	if (session->phase != SESSION_LOADING || !session->asked)
		return;
	session->phase = SESSION_RECORDING;
	session->started_ns = session_now_ns();
	say_more("attached after %llu ms",
		 (unsigned long long)((session->started_ns - session->begun_ns) / NS_PER_MS));
	command_release(&session->command);
	if (session->options->duration_ns == 0)
		return;
	timer.it_value.tv_sec = (time_t)(session->options->duration_ns / NS_PER_SECOND);
	timer.it_value.tv_nsec = (long)(session->options->duration_ns % NS_PER_SECOND);
	session->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (session->timer < 0 || timerfd_settime(session->timer, 0, &timer, NULL) < 0) {
		say("no timer: %s", strerror(errno));
		session_give_up(session, OUTCOME_FAILED);
	}
}

void session_lose(struct session *session, struct program *program, int outcome)
{
	if (program->lost || program->done)
		return;
	program->lost = 1;
	fail(session, outcome);
	if (session->phase == SESSION_LOADING) {
		session->phase = SESSION_OVER;
		return;
	}
	if (program == &session->symbolizer) {
		session->death = BALANCE_SYMBOLIZER_DIED;
		session_stop(session);
		return;
	}
	if (session->death == BALANCE_ALIVE)
		session->death = BALANCE_COLLECTOR_DIED;
	if (session->phase == SESSION_RECORDING)
		begin_finishing(session);
	set_deadline(session, SESSION_SYMBOLIZER_MS);
}

/* A program's process has ended; what it had said is read first. */
static void bury(struct session *session, struct program *program, void (*listen)(struct session *))
{
	char how[64];

	listen(session);
	program_print_errors(program);
	program_reap(program);
	spawn_describe(program->status, how, sizeof(how));
	if (program->done) {
		if (program->status != 0)
			say("%s finished, then ended %s", program->name, how);
		return;
	}
	if (!program->failed) {
		session->told = 1;
		say("%s ended %s before it had finished%s", program->name, how,
		    session->phase == SESSION_LOADING ? ""
		    : program == &session->collector  ? "; what it had handed over is written"
						      : "; nothing can be written");
	}
	session_lose(session, program, OUTCOME_FAILED);
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
	session_give_up(session, OUTCOME_FAILED);
}

static void on_command(struct session *session, enum source source)
{
	struct command *command = &session->command;
	int error;

	if (source == SOURCE_COMMAND_END) {
		command_reap(command);
		return;
	}
	error = command_executed(command);
	if (error == 0)
		return;
	say("%s cannot be run: %s", command->name, strerror(error));
	session_give_up(session, OUTCOME_FAILED);
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
	case SOURCE_COLLECTOR:
		dialogue_collector(session);
		return;
	case SOURCE_SYMBOLIZER:
		dialogue_symbolizer(session);
		return;
	case SOURCE_COLLECTOR_ERRORS:
		program_print_errors(&session->collector);
		return;
	case SOURCE_SYMBOLIZER_ERRORS:
		program_print_errors(&session->symbolizer);
		return;
	case SOURCE_COLLECTOR_END:
		bury(session, &session->collector, dialogue_collector);
		return;
	case SOURCE_SYMBOLIZER_END:
		bury(session, &session->symbolizer, dialogue_symbolizer);
		return;
	default:
		on_command(session, source);
	}
}

/* Once both are loaded, says what to select and lets the events run. */
static void ask_start(struct session *session)
{
	const struct options *options = session->options;
	size_t i;
	int r = 0;

	if (session->asked || !session->collector.ready || !session->symbolizer.ready)
		return;
	session->asked = 1;
	for (i = 0; i < options->pid_count && r == 0; i++)
		r = program_send(&session->collector, TM_CONTROL_SELECT,
				 (uint64_t)options->pids[i]);
	if (r == 0 && options->command)
		r = program_send(&session->collector, TM_CONTROL_SELECT,
				 (uint64_t)session->command.pid);
	if (r == 0)
		r = program_send(&session->collector, TM_CONTROL_START, 0);
	if (r < 0)
		say_more("%s does not take START: %s", session->collector.name, strerror(-r));
}

/* Moves on where the last events allow it. */
static void advance(struct session *session)
{
	int collector = session->collector.done || session->collector.lost;
	int symbolizer = session->symbolizer.done || session->symbolizer.lost;

	if (session->phase == SESSION_LOADING)
		ask_start(session);
	if (session->phase == SESSION_RECORDING && collector)
		begin_finishing(session);
	if (session->phase != SESSION_FINISHING)
		return;
	if (collector && symbolizer)
		session->phase = SESSION_OVER;
	else if (collector && session->deadline_ns == 0)
		set_deadline(session, SESSION_SYMBOLIZER_MS);
}

static void on_deadline(struct session *session)
{
	struct program *late = &session->symbolizer;

	session->deadline_ns = 0;
	if (!session->collector.done && !session->collector.lost)
		late = &session->collector;
	say("%s does not answer and is killed", late->name);
	late->failed = 1;
	program_kill(late);
	session_lose(session, late, OUTCOME_FAILED);
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
	};
	uint64_t now = session_now_ns();
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

/* Both have said their last word; their processes end now. */
static void see_off(struct program *program)
{
	struct pollfd end = {.fd = program->pidfd, .events = POLLIN};

	if (program->pidfd >= 0 && !program->ended && program->done)
		(void)poll(&end, 1, SESSION_EXIT_MS);
	else if (program->pidfd >= 0 && !program->ended)
		(void)kill(program->pid, SIGKILL);
	program_print_errors(program);
	program_kill(program);
}

int session_run(struct session *session)
{
	struct pollfd polled[SOURCE_N];
	int i, r;

	while (session->phase != SESSION_OVER) {
		r = wait_events(session, polled);
		if (r < 0 && r != -EINTR) {
			say("poll: %s", strerror(-r));
			session_give_up(session, OUTCOME_FAILED);
		}
		if (r == 0)
			on_deadline(session);
		for (i = 0; r > 0 && i < SOURCE_N && session->phase != SESSION_OVER; i++)
			if (polled[i].revents != 0)
				dispatch(session, (enum source)i);
		advance(session);
	}
	see_off(&session->collector);
	see_off(&session->symbolizer);
	if (session->peer_text[0] != '\0' && !session->told)
		say("%s", session->peer_text);
	say_wipe();
	return session->outcome;
}

void session_deinit(struct session *session)
{
	program_kill(&session->collector);
	program_kill(&session->symbolizer);
	command_finish(&session->command);
	session->timer = tm_close(session->timer);
}
