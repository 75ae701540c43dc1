/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_make - makes the report of one interval: names, outputs, and the messages about them
 */

#include "symbolizer/report_make.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "symbolizer/output/display_names.h"
#include "symbolizer/output/functions.h"
#include "symbolizer/output/outputs.h"
#include "symbolizer/output/report_build.h"

#define NAMES_WAIT_MS      2000
#define NAMES_WAIT_LAST_MS 30000
#define LINES_WAIT_MS      2000
#define LINES_WAIT_LAST_MS 30000

static void complete_report(const struct report_job *job, struct report *report)
{
	report->hz = job->options->hz;
	report->title = job->options->title;
	report->start_unix_ns = job->start_unix_ns;
	report->duration_ns = job->duration_ns;
	report->taken = job->accounting.taken;
	report->not_run = job->accounting.not_run;
	report->late_records = job->late_records;
	memcpy(report->drops, job->accounting.drops, sizeof(report->drops));
}

static void fill_result(const struct report *report, struct tm_result *result)
{
	result->exported = report->exported;
	memcpy(result->truncated, report->truncated, sizeof(result->truncated));
	memcpy(result->unresolved, report->unresolved, sizeof(result->unresolved));
	memcpy(result->unopened, report->unopened, sizeof(result->unopened));
	result->frames = report->frames_shown;
	result->unnamed_frames = report->unnamed_frames;
	memcpy(result->unnamed, report->unnamed, sizeof(result->unnamed));
	result->merged = report->merged;
	result->lines = report->lines;
	memcpy(result->no_line, report->no_line, sizeof(result->no_line));
	result->late_records = report->late_records;
	result->processes = report->process_count;
	result->files = report->file_count;
	result->stacks = report->stack_count;
}

static void note_number(int control, uint64_t number, const char *what)
{
	if (number)
		(void)tm_control_note(control, "%" PRIu64 " %s", number, what);
}

static void send_notes(const struct report_job *job, int control)
{
	for (unsigned i = 0; i < job->note_count; i++)
		(void)tm_control_note(control, "%s", job->notes[i]);
	note_number(control, job->names.failed,
		    "files have unnamed functions: the parser ended or missed its deadline "
		    "(parse_failures in the summary)");
	note_number(control, job->result.undemangled,
		    "function names are shown mangled: the parser did not demangle them in time");
	note_number(control, job->accounting.unexplained, "samples are unaccounted for");
	note_number(control, job->conflicts,
		    "file numbers got a second meaning too early: "
		    "samples from before may bear its name");
}

static void write_outputs(const struct report_job *job, int control, const struct report *report)
{
	if (tm_control_is_closed(control))
		return;
	for (int i = 0; i < job->options->output_count; i++) {
		const struct options_output *output = &job->outputs[i];
		int code = job->code < 0 ? job->code : -EBADF;

		if (job->code >= 0 && output->fd >= 0)
			code = outputs_write(output->format, output->fd, report);
		(void)tm_control_send(control, TM_CONTROL_OUTPUT, code, (uint64_t)i);
	}
}

static void send_top(const struct report *report, int control)
{
	struct tm_top rows[TM_TOP_ROWS];
	int count = functions_top(report, rows);

	for (int i = 0; i < count; i++) {
		const struct tm_control message = {.kind = TM_CONTROL_TOP, .body.top = rows[i]};

		(void)tm_control_send_message(control, &message);
	}
}

/* Symbols that the parser has not made yet are waited for; the reader goes on meanwhile. */
static void name(struct report_job *job)
{
	const struct interval *interval = job->interval;
	const struct files *files = interval->aggregate.files;

	/* Where the budget is spent, what was collected until then is named. */
	(void)name_table_collect(&job->names, &interval->aggregate);
	name_table_wait(&job->names, files, job->last ? NAMES_WAIT_LAST_MS : NAMES_WAIT_MS);
	name_table_resolve(&job->names, files);
	if (!job->lines)
		return;
	if (job->last)
		line_requests_set_last(job->lines->requests);
	line_names_resolve(job->lines, &job->names, files,
			   job->last ? LINES_WAIT_LAST_MS : LINES_WAIT_MS);
	if (job->last)
		line_requests_finish(job->lines->requests); /* the collector may go */
}

void report_make(struct report_job *job, int control)
{
	struct report_build build;

	name(job);
	job->code = report_build_init(&build, &job->interval->aggregate, &job->names, job->kernel);
	if (!job->code && job->demangle)
		job->result.undemangled =
			display_names_set(&build, &job->interval->strings, job->demangle);
	complete_report(job, &build.report);
	send_notes(job, control);
	write_outputs(job, control, &build.report);
	if (!job->code)
		send_top(&build.report, control);
	fill_result(&build.report, &job->result);
	report_build_deinit(&build);
}
