/* SPDX-License-Identifier: Apache-2.0 */
/* intervals - the reports in between: when each is asked for, into which files, and what it tells */

#include "cli/intervals.h"

#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "cli/exit_code.h"
#include "cli/own_cost.h"
#include "cli/report.h"
#include "cli/session.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"

#define NS_PER_SECOND 1000000000ull

int intervals_begin(struct session *session)
{
	struct intervals *series = &session->series;
	uint64_t every = session->options->every_ns;
	struct itimerspec timer = {
		.it_value = {(time_t)(every / NS_PER_SECOND), (long)(every % NS_PER_SECOND)},
	};

	series->from_ns = session->started_ns;
	series->idle_from_ns = own_cost_idle_ns();
	if (every == 0)
		return 0;
	timer.it_interval = timer.it_value;
	series->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (series->timer < 0 || timerfd_settime(series->timer, 0, &timer, NULL) < 0)
		return -errno;
	return 0;
}

/* Return: 0, -errno. */
static int hand_over(struct session *session, const struct outputs *targets)
{
	size_t i;
	int r = 0;

	for (i = 0; i < targets->count && r == 0; i++)
		if (!targets->refused[i])
			r = child_send_fd(&session->symbolizer, TM_CONTROL_OUTPUT_FILE, i,
					  targets->outputs[i].fd);
	return r;
}

static void ask(struct session *session)
{
	struct intervals *series = &session->series;
	int r = child_send(&session->symbolizer, TM_CONTROL_FLUSH, 0);

	series->asked = 1;
	series->until_ns = session_now_ns();
	series->idle_until_ns = own_cost_idle_ns();
	outputs_open_more(&series->next, session->options, series->ledger.reports + 2);
	if (r == 0)
		r = hand_over(session, &series->next);
	if (r < 0)
		say_more("%s does not take FLUSH: %s", session->symbolizer.name, strerror(-r));
}

void intervals_tick(struct session *session)
{
	struct intervals *series = &session->series;
	uint64_t ticks;

	if (read(series->timer, &ticks, sizeof(ticks)) < 0 || session->phase != SESSION_RECORDING)
		return;
	if (series->asked)
		say_more("report %u takes longer than its interval", series->ledger.reports + 1);
	else if (session->symbolizer.ready && !session->symbolizer.lost)
		ask(session);
}

static void move_on(struct intervals *series)
{
	outputs_close(&series->now);
	series->now = series->next;
	series->next = (struct outputs){0};
	series->asked = 0;
}

static void count_files(struct intervals *series)
{
	const struct outputs *targets = &series->now;
	size_t i, stored = 0;

	for (i = 0; i < targets->count; i++)
		stored += targets->stored[i] != 0;
	series->files += stored;
	series->missing += targets->count - stored;
	series->missing += targets->has_summary && !targets->summary_stored;
}

void intervals_resume(struct session *session)
{
	const struct intervals *series = &session->series;
	struct tm_control message = {.kind = TM_CONTROL_RESUME, .value = series->watermark};
	int r;

	if (series->ledger.reports == 0)
		return;
	accounting_baseline(&series->ledger, &message.body.counts);
	r = child_send_message(&session->symbolizer, &message, -1);
	if (r < 0)
		say_more("%s does not take TOLD: %s", session->symbolizer.name, strerror(-r));
}

void intervals_flushed(struct session *session, uint64_t watermark)
{
	struct intervals *series = &session->series;
	struct summary summary;

	if (!series->asked) {
		say_more("%s sent FLUSHED, which nobody asked for", session->symbolizer.name);
		return;
	}
	session->flushed = 1;
	child_measure(&session->collector);
	child_measure(&session->symbolizer);
	report_make(&summary, session, REPORT_BETWEEN);
	(void)outputs_store(&series->now, session, &summary);
	count_files(series);
	report_print_line(&summary, &series->now);
	if (series->outcome == 0)
		series->outcome = report_check(&summary, 0);
	accounting_add(&series->ledger, &summary.counts, &session->result, &summary.balance);
	session_forget_report(session);
	series->watermark = watermark;
	series->from_ns = series->until_ns;
	series->idle_from_ns = series->idle_until_ns;
	move_on(series);
}

void intervals_on_death(struct session *session)
{
	struct intervals *series = &session->series;

	if (series->asked) {
		say("report %u is lost with it", series->ledger.reports + 1);
		move_on(series);
		outputs_renumber(&series->now, series->ledger.reports + 1);
	}
	accounting_on_death(&series->ledger);
	session_forget_report(session);
}

int intervals_outcome(const struct intervals *series, int stored)
{
	if (stored == EXIT_CODE_FAILED && series->files > 0)
		stored = EXIT_CODE_SOME;
	if (stored == 0 && series->missing > 0)
		stored = EXIT_CODE_SOME;
	return series->outcome != 0 ? series->outcome : stored;
}

void intervals_close(struct intervals *series)
{
	outputs_close(&series->now);
	outputs_close(&series->next);
	series->timer = tm_close(series->timer);
}
