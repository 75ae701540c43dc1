/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reporter - makes a report: names, accounting, outputs, and the messages to the command
 */

#include "symbolizer/reporter.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <string.h>
#include <time.h>

#include "shared/control.h"
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

	return until ? until : session->reader.first_ktime;
}

/* The same as Unix time. */
static uint64_t start_unix_ns(const struct session *session)
{
	uint64_t monotonic = clock_ns(CLOCK_MONOTONIC);
	uint64_t start = start_ktime(session);
	uint64_t ago = start && monotonic > start ? monotonic - start : 0;

	return clock_ns(CLOCK_REALTIME) - ago;
}

static uint64_t duration_ns(const struct session *session, bool last)
{
	const struct reader *reader = &session->reader;
	uint64_t start = start_ktime(session);
	uint64_t end = reader->released;

	if (last && reader->watermark > end)
		end = reader->watermark;
	if (last && reader->last_ktime > end)
		end = reader->last_ktime;
	return start && end > start ? end - start : 0;
}

/* Of this report's interval; session->counts becomes that too. */
static void close_accounting(struct session *session, bool last, struct accounting *accounting,
			     struct tm_counts *counts)
{
	const struct reader *reader = &session->reader;
	struct session_reported *reported = &session->reported;
	struct accounting_read read = {
		.samples = reader->samples,
		.bad_records = reader->bad_records,
		.bad_samples = reader->bad_samples,
		.memory_drops = reader->memory_drops,
		.exported = reported->accounting.exported + session->aggregate.exported,
		.broken = reader->broken,
		.collector_died = session->link.state != COLLECTOR_LINK_ENDED,
	};

	(void)tm_ring_counts(&reader->ring, &session->counts);
	*counts = session->counts;
	if (last)
		accounting_close(accounting, counts, &read);
	else
		accounting_so_far(accounting, counts, &read);
	if (last && !reported->any)
		return; /* of the whole */
	accounting_since(accounting, &reported->accounting);
	accounting_counts_since(counts, &reported->counts, accounting);
	reported->counts = session->counts;
}

static void complete_report(const struct session *session, const struct accounting *accounting,
			    bool last, struct report *report)
{
	report->hz = session->options->hz;
	report->title = session->options->title;
	report->start_unix_ns = start_unix_ns(session);
	report->duration_ns = duration_ns(session, last);
	report->taken = accounting->taken;
	report->not_run = accounting->not_run;
	report->late_records = session->reader.late - session->reported.late;
	memcpy(report->drops, accounting->drops, sizeof(report->drops));
}

static void fill_result(const struct report_build *build, const struct session *session,
			const struct accounting *accounting, struct tm_result *result)
{
	const struct report *report = &build->report;

	result->exported = report->exported;
	memcpy(result->drops, accounting->own, sizeof(result->drops));
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
	result->tables_made = session->jobs.counts.made;
	result->tables_empty = session->jobs.counts.empty;
	result->tables_cached = session->jobs.counts.cached;
	result->cache_refused = session->cache.refused;
}

static void note_collector(const struct session *session)
{
	int control = session->options->control_fd;

	if (session->link.state == COLLECTOR_LINK_GONE)
		(void)tm_control_note(control,
				      "the collector ended early; what it had handed over is kept");
	if (session->link.state == COLLECTOR_LINK_INVALID)
		(void)tm_control_note(control, "the collector sent a message that does not check; "
					       "what it had handed over until then is kept");
	if (session->reader.broken)
		(void)tm_control_note(control, "the shared ring became unreadable; "
					       "what was read until then is kept");
	if (session->kernel_refused)
		(void)tm_control_note(control, "the table of kernel symbols did not check");
}

static void note_number(const struct session *session, uint64_t number, const char *what)
{
	if (number)
		(void)tm_control_note(session->options->control_fd, "%" PRIu64 " %s", number, what);
}

static void send_notes(const struct session *session, const struct accounting *accounting,
		       bool last)
{
	if (last)
		note_collector(session);
	note_number(session, session->collect.unnamed_files,
		    "files have unnamed functions: the parser ended or missed its deadline "
		    "(parse_failures in the summary)");
	note_number(session, accounting->unexplained, "samples are unaccounted for");
	if (last)
		note_number(session, session->files.conflicts,
			    "file numbers got a second meaning too early: "
			    "samples from before may bear its name");
}

static void write_outputs(const struct session *session, const struct report *report, int error)
{
	const struct options *options = session->options;

	if (tm_control_is_closed(options->control_fd))
		return;
	for (int i = 0; i < options->output_count; i++) {
		const struct options_output *output = &session->outputs[i];
		int code = error < 0 ? error : -EBADF;

		if (error >= 0 && output->fd >= 0)
			code = outputs_write(output->format, output->fd, report);
		(void)tm_control_send(options->control_fd, TM_CONTROL_OUTPUT, code, (uint64_t)i);
	}
}

static void send_top(const struct session *session, const struct report *report)
{
	struct tm_top rows[TM_TOP_ROWS];
	int count = functions_top(report, rows);

	for (int i = 0; i < count; i++) {
		const struct tm_control message = {.kind = TM_CONTROL_TOP, .body.top = rows[i]};

		(void)tm_control_send_message(session->options->control_fd, &message);
	}
}

/* Names, report, outputs, and the messages about them. Return: 0, -errno. */
static int make_report(struct session *session, bool last)
{
	struct name_table names;
	struct report_build build;
	struct accounting accounting;
	struct tm_counts counts;
	struct tm_control message = {.kind = TM_CONTROL_RESULT};
	struct tm_result *result = &message.body.result;
	int r;

	close_accounting(session, last, &accounting, &counts);
	session->budget.limit += COLLECT_BUDGET_BYTES;
	collect_names(&session->collect, &names, session->reader.released, last);
	if (last)
		parser_client_stop(&session->parser, &result->child_cpu_ns,
				   &result->child_rss_bytes);
	r = report_build_init(&build, &session->aggregate, &names, &session->kernel);
	complete_report(session, &accounting, last, &build.report);
	send_notes(session, &accounting, last);
	write_outputs(session, &build.report, r);
	if (!r)
		send_top(session, &build.report);
	fill_result(&build, session, &accounting, result);
	(void)tm_control_counts(session->options->control_fd, &counts, /* cost= */ NULL,
				/* may_skip= */ false);
	(void)tm_control_send_message(session->options->control_fd, &message);
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
	/* What was freed lies between what stays: the allocator returns it only on request. */
	(void)malloc_trim(0);
}

int reporter_finish(struct session *session)
{
	return make_report(session, /* last= */ true);
}

void reporter_interval(struct session *session)
{
	uint64_t limit = session->budget.limit;

	(void)make_report(session, /* last= */ false);
	forget(session);
	session->budget.limit = limit;
	session->reported.late = session->reader.late;
	session->reported.until_ktime = session->reader.released;
	session->reported.any = true;
	session->collect.unnamed_files = 0;
	session->parser.counts = (struct parser_client_counts){0};
	session->jobs.counts = (struct unwind_jobs_counts){0};
	session->cache.refused = 0;
}
