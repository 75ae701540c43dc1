/* SPDX-License-Identifier: Apache-2.0 */
/* session - one recording from "both programs run" to "both have finished", phase by phase */

#include "cli/session.h"

#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>

#include "cli/exit_code.h"
#include "cli/own_cost.h"
#include "cli/progress.h"
#include "cli/restart.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"

#define NS_PER_SECOND 1000000000ull

uint64_t session_now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

void session_init(struct session *session, const struct options *options, int signals)
{
	memset(session, 0, sizeof(*session)); /* too large for a second one on the stack */
	session->options = options;
	session->collector = CHILD_NULL;
	session->symbolizer = CHILD_NULL;
	session->command = WORKLOAD_NULL;
	session->hotplug = HOTPLUG_NULL;
	session->series = INTERVALS_NULL;
	session->signals = signals;
	session->timer = -1;
	session->bpf_time = -1;
	session->begun_ns = session_now_ns();
}

static void fail(struct session *session, int outcome)
{
	if (session->outcome == 0)
		session->outcome = outcome;
}

void session_give_up(struct session *session, int outcome)
{
	fail(session, outcome);
	session->given_up = 1;
	session->phase = SESSION_OVER;
	child_kill(&session->collector);
	child_kill(&session->symbolizer);
}

static void set_deadline(struct session *session, uint64_t ms)
{
	session->deadline_ns = session_now_ns() + ms * SESSION_NS_PER_MS;
}

static void begin_finishing(struct session *session)
{
	session->phase = SESSION_FINISHING;
	session->ended_ns = session_now_ns();
	session->idle_ended_ns = own_cost_idle_ns();
	child_measure(&session->collector);
	child_measure(&session->symbolizer);
	progress_word("writing ...");
}

void session_stop(struct session *session)
{
	if (session->phase != SESSION_RECORDING)
		return;
	begin_finishing(session);
	set_deadline(session, SESSION_COLLECTOR_MS);
	if (child_send(&session->collector, TM_CONTROL_STOP, 0) < 0)
		say_more("%s does not take STOP", session->collector.name);
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
	int r;

	if (session->phase != SESSION_LOADING || !session->asked)
		return;
	session->phase = SESSION_RECORDING;
	session->started_ns = session_now_ns();
	say_more("attached after %llu ms",
		 (unsigned long long)((session->started_ns - session->begun_ns) /
				      SESSION_NS_PER_MS));
	workload_release(&session->command);
	r = set_timer(session);
	if (r == 0)
		r = intervals_begin(session);
	if (r < 0) {
		say("no timer: %s", strerror(-r));
		session_give_up(session, EXIT_CODE_FAILED);
	}
}

int session_has_reported(const struct session *session)
{
	return session->symbolizer.done || session->flushed;
}

void session_forget_report(struct session *session)
{
	session->flushed = 0;
	session->result = (struct tm_result){0};
	session->top_count = 0;
	session->outputs_told = 0;
	session->last_counts_told = 0;
}

void session_lose(struct session *session, struct child *program, int outcome)
{
	if (program->lost || program->done)
		return;
	program->lost = 1;
	if (restart_follows(session, program)) {
		session->reviving = 1; /* not here: whoever called still looks at the dead one */
		return;
	}
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
		r = child_send(&session->collector, TM_CONTROL_SELECT, (uint64_t)options->pids[i]);
	if (r == 0 && options->command)
		r = child_send(&session->collector, TM_CONTROL_SELECT,
			       (uint64_t)session->command.pid);
	if (r == 0)
		r = child_send(&session->collector, TM_CONTROL_START, 0);
	if (r < 0)
		say_more("%s does not take START: %s", session->collector.name, strerror(-r));
}

/* The symbolizer's place is empty: filled again, or the recording ends. */
static void revive(struct session *session)
{
	int r = EXIT_CODE_FAILED;

	session->reviving = 0;
	session->symbolizer.lost = 0;
	if (restart_follows(session, &session->symbolizer))
		r = restart_run(session);
	if (r == 0)
		return;
	session->restarts = RESTART_MAX;
	session_lose(session, &session->symbolizer, r);
}

/* Moves on where the last events allow it. */
void session_advance(struct session *session)
{
	int collector, symbolizer;

	if (session->reviving)
		revive(session);
	collector = session->collector.done || session->collector.lost;
	symbolizer = session->symbolizer.done || session->symbolizer.lost;
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

void session_deinit(struct session *session)
{
	child_kill(&session->collector);
	child_kill(&session->symbolizer);
	workload_finish(&session->command);
	hotplug_close(&session->hotplug);
	intervals_close(&session->series);
	session->bpf_time = tm_close(session->bpf_time);
	session->timer = tm_close(session->timer);
}
