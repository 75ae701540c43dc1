/* SPDX-License-Identifier: Apache-2.0 */
/*
 * finish - after the last record: names, the report, its outputs, what the command is told
 */

#include "symbolizer/finish.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "symbolizer/balance.h"
#include "symbolizer/build.h"
#include "symbolizer/control.h"
#include "symbolizer/outputs.h"
#include "symbolizer/top.h"

#define NAMES_BUDGET_BYTES (128ull << 20) /* of names, on top of the profile's budget */

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now = {0};

	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

/* When the first sample was taken, by the clock on the wall. */
static uint64_t start_unix_ns(const struct feed *feed)
{
	uint64_t monotonic = clock_ns(CLOCK_MONOTONIC);
	uint64_t ago = monotonic > feed->first_ktime ? monotonic - feed->first_ktime : 0;

	return clock_ns(CLOCK_REALTIME) - (feed->first_ktime ? ago : 0);
}

static uint64_t duration_ns(const struct feed *feed)
{
	uint64_t end = feed->watermark > feed->last_ktime ? feed->watermark : feed->last_ktime;

	return feed->first_ktime && end > feed->first_ktime ? end - feed->first_ktime : 0;
}

static void close_balance(const struct session *session, const struct tm_counts *counts,
			  struct balance *balance)
{
	const struct feed *feed = &session->feed;
	struct balance_read read = {
		.samples = feed->samples,
		.bad_records = feed->bad_records,
		.memory = feed->memory,
		.exported = session->aggregate.exported,
		.broken = feed->broken,
		.collector_died = session->peer.state != PEER_ENDED,
	};

	balance_close(balance, counts, &read);
}

static void complete_report(const struct session *session, const struct balance *balance,
			    struct report *report)
{
	report->hz = session->options->hz;
	report->title = session->options->title;
	report->start_unix_ns = start_unix_ns(&session->feed);
	report->duration_ns = duration_ns(&session->feed);
	report->taken = balance->taken;
	report->not_run = balance->not_run;
	report->late_records = session->feed.late;
	memcpy(report->drops, balance->drops, sizeof(report->drops));
}

static void fill_result(const struct build *build, const struct names *names,
			const struct balance *balance, struct tm_result *result)
{
	const struct report *report = &build->report;

	result->exported = report->exported;
	memcpy(result->drops, balance->own, sizeof(result->drops));
	memcpy(result->truncated, report->truncated, sizeof(result->truncated));
	memcpy(result->unresolved, build->unresolved, sizeof(result->unresolved));
	result->frames = report->frames_shown;
	result->unnamed_frames = report->unnamed_frames;
	result->late_records = report->late_records;
	result->processes = report->process_count;
	result->files = report->file_count;
	result->stacks = report->stack_count;
	result->parsers_failed = names->failed;
	result->parsers_abandoned = names->abandoned;
}

static void tell_notes(const struct session *session, const struct balance *balance,
		       const struct names *names)
{
	int control = session->options->control_fd;
	char text[TM_CONTROL_TEXT];

	if (session->peer.state == PEER_GONE)
		control_note(control, "the collector ended early; what it had handed over is kept");
	if (session->peer.state == PEER_BROKE)
		control_note(control, "the collector sent a message that does not check; "
				      "what it had handed over until then is kept");
	if (session->feed.broken)
		control_note(control, "the shared ring became unreadable; "
				      "what was read until then is kept");
	if (session->peer.kernel_refused)
		control_note(control, "the table of kernel symbols did not check");
	if (names->parser < 0) {
		(void)snprintf(text, sizeof(text),
			       "the parser ended early: functions of %" PRIu64
			       " files stay unnamed",
			       names->failed);
		control_note(control, text);
	}
	if (balance->unexplained) {
		(void)snprintf(text, sizeof(text), "%" PRIu64 " samples are unaccounted for",
			       balance->unexplained);
		control_note(control, text);
	}
}

static void write_outputs(const struct session *session, const struct report *report, int error)
{
	const struct options *options = session->options;

	if (session_is_abandoned(session))
		return;
	for (int i = 0; i < options->output_count; i++) {
		int code = error < 0 ? error : outputs_write(&options->outputs[i], report);

		control_say(options->control_fd, TM_CONTROL_OUTPUT, code, (uint64_t)i);
	}
}

static void tell_top(const struct session *session, const struct report *report)
{
	struct tm_top rows[TM_TOP_ROWS];
	int count = top_rows(report, rows);

	for (int i = 0; i < count; i++)
		control_top(session->options->control_fd, &rows[i]);
}

int finish_session(struct session *session)
{
	struct names names;
	struct build build;
	struct balance balance;
	struct tm_counts counts = {0};
	struct tm_result result = {0};
	int r;

	(void)tm_ring_counts(&session->feed.reader, &counts);
	close_balance(session, &counts, &balance);
	session->budget.limit += NAMES_BUDGET_BYTES;
	names_init(&names, &session->strings, session->parser.socket, session->options->control_fd);
	(void)names_collect(&names, &session->aggregate);
	names_ask(&names, &session->files);
	child_stop(&session->parser, &result.child_cpu_ns, &result.child_rss_bytes);
	r = build_report(&build, &session->aggregate, &names, &session->kernel);
	complete_report(session, &balance, &build.report);
	tell_notes(session, &balance, &names);
	write_outputs(session, &build.report, r);
	if (!r)
		tell_top(session, &build.report);
	fill_result(&build, &names, &balance, &result);
	control_counts(session->options->control_fd, &counts);
	control_result(session->options->control_fd, &result);
	build_deinit(&build);
	names_deinit(&names);
	return r;
}
