/* SPDX-License-Identifier: Apache-2.0 */
/* intervals - with --every: when each report is requested, into which files, and their sums */

#include "cli/intervals.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "cli/exit_code.h"
#include "cli/own_cost.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"
#include "shared/clock.h"

#define NS_PER_SECOND 1000000000ull

uint64_t intervals_delay(uint64_t every_ns, unsigned jitter_percent, uint64_t random)
{
	const uint64_t span = every_ns / 100 * jitter_percent;

	return every_ns - span + random % (2 * span + 1);
}

/* Without jitter the timer keeps to a grid, however late a tick is read. Return: 0, -errno. */
static int arm(const struct intervals *intervals)
{
	uint64_t random = 0, delay;
	struct itimerspec timer = {0};

	if (intervals->jitter_percent &&
	    getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return -EIO;
	delay = intervals_delay(intervals->every_ns, intervals->jitter_percent, random);
	timer.it_value.tv_sec = (time_t)(delay / NS_PER_SECOND);
	timer.it_value.tv_nsec = (long)(delay % NS_PER_SECOND);
	if (!intervals->jitter_percent)
		timer.it_interval = timer.it_value;
	return timerfd_settime(intervals->timer, 0, &timer, NULL) < 0 ? -errno : 0;
}

int intervals_begin(struct intervals *intervals, uint64_t every_ns, unsigned jitter_percent,
		    uint64_t now_ns)
{
	intervals->from_ns = now_ns;
	intervals->idle_from_ns = own_cost_idle_ns();
	intervals->every_ns = every_ns;
	intervals->jitter_percent = jitter_percent;
	if (every_ns == 0)
		return 0;
	intervals->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	return intervals->timer < 0 ? -errno : arm(intervals);
}

/* Return: 0, -errno. */
static int send_outputs(const struct outputs *outputs, struct child *symbolizer)
{
	size_t i;
	int r = 0;

	for (i = 0; i < outputs->count && r == 0; i++)
		if (!outputs->refused[i])
			r = child_send_fd(symbolizer, TM_CONTROL_OUTPUT_FILE, i,
					  outputs->items[i].fd);
	return r;
}

static void request_report(struct intervals *intervals, const struct options *options,
			   struct child *symbolizer)
{
	int r = child_send(symbolizer, TM_CONTROL_FLUSH, 0);

	intervals->flush_pending = true;
	intervals->until_ns = tm_clock_ns();
	intervals->idle_until_ns = own_cost_idle_ns();
	outputs_open_more(&intervals->next, &intervals->current, intervals->accounting.reports + 2);
	if (r == 0)
		r = send_outputs(&intervals->next, symbolizer);
	if (r < 0)
		terminal_verbose("the request for a report could not be sent to %s: %s",
				 symbolizer->name, strerror(-r));
}

void intervals_tick(struct intervals *intervals, const struct options *options,
		    struct child *symbolizer)
{
	uint64_t ticks;
	int r;

	if (read(intervals->timer, &ticks, sizeof(ticks)) < 0)
		return;
	r = intervals->jitter_percent ? arm(intervals) : 0;
	if (r < 0)
		terminal_print("the timer of reports could not be set, so the next is the last: %s",
			       strerror(-r));
	if (intervals->flush_pending)
		terminal_verbose("report %u takes longer than its interval",
				 intervals->accounting.reports + 1);
	else if (symbolizer->ready && !symbolizer->lost)
		request_report(intervals, options, symbolizer);
}

void intervals_stop(struct intervals *intervals)
{
	intervals->timer = tm_close(intervals->timer);
}

void intervals_resume(const struct intervals *intervals, struct child *symbolizer)
{
	struct tm_control message = {.kind = TM_CONTROL_RESUME, .value = intervals->watermark};
	int r;

	if (intervals->accounting.reports == 0)
		return;
	accounting_baseline(&intervals->accounting, &message.body.counts);
	r = child_send_message(symbolizer, &message, -1);
	if (r < 0)
		terminal_verbose("the counts of earlier reports could not be sent to %s: %s",
				 symbolizer->name, strerror(-r));
}

static void next_outputs(struct intervals *intervals)
{
	outputs_leave(&intervals->current);
	intervals->current = intervals->next;
	intervals->next = (struct outputs){0};
	intervals->flush_pending = false;
}

static void count_files(struct intervals *intervals)
{
	const struct outputs *outputs = &intervals->current;
	size_t i, stored = 0;

	for (i = 0; i < outputs->count; i++)
		stored += outputs->stored[i];
	intervals->files += stored;
	intervals->missing += outputs->count - stored;
	intervals->missing += outputs->has_summary && !outputs->summary_stored;
}

void intervals_next(struct intervals *intervals, const struct summary *summary, uint64_t watermark)
{
	count_files(intervals);
	accounting_add(&intervals->accounting, &summary->counts, &summary->result,
		       &summary->balance);
	intervals->watermark = watermark;
	intervals->from_ns = intervals->until_ns;
	intervals->idle_from_ns = intervals->idle_until_ns;
	next_outputs(intervals);
}

void intervals_on_death(struct intervals *intervals)
{
	if (intervals->flush_pending) {
		terminal_print("report %u is lost: the symbolizer died while writing it",
			       intervals->accounting.reports + 1);
		next_outputs(intervals);
		outputs_renumber(&intervals->current, intervals->accounting.reports + 1);
	}
	accounting_on_death(&intervals->accounting);
}

int intervals_exit_code(const struct intervals *intervals, int stored)
{
	if (stored == EXIT_CODE_FAILED && intervals->files > 0)
		stored = EXIT_CODE_SOME;
	if (stored == 0 && intervals->missing > 0)
		stored = EXIT_CODE_SOME;
	return intervals->exit_code != 0 ? intervals->exit_code : stored;
}

void intervals_close(struct intervals *intervals)
{
	outputs_close(&intervals->current);
	outputs_close(&intervals->next);
	intervals_stop(intervals);
}
