/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reporter - after the last record, or in between: names, the report, its outputs, what the command is told
 */

#include "symbolizer/reporter.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "symbolizer/base/control.h"
#include "symbolizer/names/collect.h"
#include "symbolizer/output/functions.h"
#include "symbolizer/output/outputs.h"
#include "symbolizer/output/report_build.h"
#include "symbolizer/profile/accounting.h"

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now = {0};

	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

/* Where the interval of this report begins, by ktime; 0: nothing was sampled. */
static uint64_t start_ktime(const struct session *session)
{
	uint64_t until = session->reported.until_ktime;

	return until ? until : session->feed.first_ktime;
}

/* The same by the clock on the wall. */
static uint64_t start_unix_ns(const struct session *session)
{
	uint64_t monotonic = clock_ns(CLOCK_MONOTONIC);
	uint64_t start = start_ktime(session);
	uint64_t ago = start && monotonic > start ? monotonic - start : 0;

	return clock_ns(CLOCK_REALTIME) - ago;
}

static uint64_t duration_ns(const struct session *session, int last)
{
	const struct reader *feed = &session->feed;
	uint64_t start = start_ktime(session);
	uint64_t end = feed->released;

	if (last && feed->watermark > end)
		end = feed->watermark;
	if (last && feed->last_ktime > end)
		end = feed->last_ktime;
	return start && end > start ? end - start : 0;
}

/* Of this report's interval; session->counts becomes that too. */
static void close_balance(struct session *session, int last, struct accounting *balance,
			  struct tm_counts *counts)
{
	const struct reader *feed = &session->feed;
	struct session_reported *reported = &session->reported;
	struct accounting_read read = {
		.samples = feed->samples,
		.bad_records = feed->bad_records,
		.bad_samples = feed->bad_samples,
		.memory = feed->memory,
		.exported = reported->balance.exported + session->aggregate.exported,
		.broken = feed->broken,
		.collector_died = session->peer.state != COLLECTOR_LINK_ENDED,
	};

	(void)tm_ring_counts(&feed->reader, &session->counts);
	*counts = session->counts;
	if (last)
		accounting_close(balance, counts, &read);
	else
		accounting_so_far(balance, counts, &read);
	if (last && !reported->any)
		return; /* of the whole */
	accounting_since(balance, &reported->balance);
	accounting_counts_since(counts, &reported->counts, balance);
	reported->counts = session->counts;
}

static void complete_report(const struct session *session, const struct accounting *balance,
			    int last, struct report *report)
{
	report->hz = session->options->hz;
	report->title = session->options->title;
	report->start_unix_ns = start_unix_ns(session);
	report->duration_ns = duration_ns(session, last);
	report->taken = balance->taken;
	report->not_run = balance->not_run;
	report->late_records = session->feed.late - session->reported.late;
	memcpy(report->drops, balance->drops, sizeof(report->drops));
}

static void fill_result(const struct report_build *build, const struct session *session,
			const struct accounting *balance, struct tm_result *result)
{
	const struct report *report = &build->report;

	result->exported = report->exported;
	memcpy(result->drops, balance->own, sizeof(result->drops));
	memcpy(result->truncated, report->truncated, sizeof(result->truncated));
	memcpy(result->unresolved, report->unresolved, sizeof(result->unresolved));
	memcpy(result->unopened, report->unopened, sizeof(result->unopened));
	result->frames = report->frames_shown;
	result->unnamed_frames = report->unnamed_frames;
	result->late_records = report->late_records;
	result->processes = report->process_count;
	result->files = report->file_count;
	result->stacks = report->stack_count;
	result->parsers_lost = session->parser.counts.lost;
	memcpy(result->parse_failures, session->parser.counts.failures,
	       sizeof(result->parse_failures));
	result->rows_made = session->jobs.counts.made;
	result->rows_failed = session->jobs.counts.empty;
	result->rows_cached = session->jobs.counts.cached;
	result->cache_refused = session->cache.refused;
}

static void tell_peers(const struct session *session)
{
	int control = session->options->control_fd;

	if (session->peer.state == COLLECTOR_LINK_GONE)
		control_note(control, "the collector ended early; what it had handed over is kept");
	if (session->peer.state == COLLECTOR_LINK_BROKE)
		control_note(control, "the collector sent a message that does not check; "
				      "what it had handed over until then is kept");
	if (session->feed.broken)
		control_note(control, "the shared ring became unreadable; "
				      "what was read until then is kept");
	if (session->peer.kernel_refused)
		control_note(control, "the table of kernel symbols did not check");
}

static void tell_number(const struct session *session, uint64_t number, const char *what)
{
	char text[TM_CONTROL_TEXT];

	if (!number)
		return;
	(void)snprintf(text, sizeof(text), "%" PRIu64 " %s", number, what);
	control_note(session->options->control_fd, text);
}

static void tell_notes(const struct session *session, const struct accounting *balance, int last)
{
	if (last)
		tell_peers(session);
	tell_number(session, session->unnamed_files,
		    "files have unnamed functions: the parser ended or missed its deadline "
		    "(parse_failures in the summary)");
	tell_number(session, balance->unexplained, "samples are unaccounted for");
	if (last)
		tell_number(session, session->files.conflicts,
			    "file numbers got a second meaning too early: "
			    "samples from before may bear its name");
}

static void write_outputs(const struct session *session, const struct report *report, int error)
{
	const struct options *options = session->options;

	if (control_is_gone(options->control_fd))
		return;
	for (int i = 0; i < options->output_count; i++) {
		const struct options_output *output = &session->outputs[i];
		int code = error < 0 ? error : -EBADF;

		if (error >= 0 && output->fd >= 0)
			code = outputs_write(output->format, output->fd, report);
		control_say(options->control_fd, TM_CONTROL_OUTPUT, code, (uint64_t)i);
	}
}

static void tell_top(const struct session *session, const struct report *report)
{
	struct tm_top rows[TM_TOP_ROWS];
	int count = functions_top(report, rows);

	for (int i = 0; i < count; i++)
		control_top(session->options->control_fd, &rows[i]);
}

/* Names, report, outputs and words. Return: 0, -errno. */
static int make_report(struct session *session, int last)
{
	struct name_table names;
	struct report_build build;
	struct accounting balance;
	struct tm_counts counts;
	struct tm_result result = {0};
	int r;

	close_balance(session, last, &balance, &counts);
	session->budget.limit += NAMES_BUDGET_BYTES;
	collect_names(session, &names, last);
	if (last)
		parser_client_stop(&session->parser, &result.child_cpu_ns, &result.child_rss_bytes);
	r = report_build_init(&build, &session->aggregate, &names, &session->kernel);
	complete_report(session, &balance, last, &build.report);
	tell_notes(session, &balance, last);
	write_outputs(session, &build.report, r);
	if (!r)
		tell_top(session, &build.report);
	fill_result(&build, session, &balance, &result);
	control_counts(session->options->control_fd, &counts);
	control_result(session->options->control_fd, &result);
	report_build_deinit(&build);
	name_table_deinit(&names);
	return r;
}

/* Samples, stacks and strings go; what processes and files need of the strings moves. */
static void forget(struct session *session)
{
	struct strings fresh;

	aggregate_deinit(&session->aggregate);
	if (strings_init(&fresh, &session->budget, &session->seed)) {
		strings_deinit(&fresh);
		return; /* no memory for one string: what is there stays a while longer */
	}
	process_forget(&session->processes, &fresh);
	files_forget(&session->files, &fresh);
	strings_deinit(&session->strings);
	session->strings = fresh;
	/* What was freed lies between what stays: the allocator gives it back only when told. */
	(void)malloc_trim(0);
}

int reporter_finish(struct session *session)
{
	return make_report(session, /* last= */ 1);
}

void reporter_interval(struct session *session)
{
	uint64_t limit = session->budget.limit;

	(void)make_report(session, /* last= */ 0);
	forget(session);
	session->budget.limit = limit;
	session->reported.late = session->feed.late;
	session->reported.until_ktime = session->feed.released;
	session->reported.any = 1;
	session->unnamed_files = 0;
	session->parser.counts = (struct parser_client_counts){0};
	session->jobs.counts = (struct unwind_jobs_counts){0};
	session->cache.refused = 0;
}
