/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_make - makes the report of one interval: names, outputs, and the messages about them
 */

#include "symbolizer/report_make.h"

#include <errno.h>
#include <string.h>

#include "shared/control_receive.h"
#include "symbolizer/output/display_names.h"
#include "symbolizer/output/functions.h"
#include "symbolizer/output/outputs.h"
#include "symbolizer/output/report_build.h"
#include "symbolizer/output/report_need.h"
#include "symbolizer/output/report_threads.h"
#include "symbolizer/profile/aggregate_merge.h"
#include "symbolizer/report_send.h"

#define NAMES_WAIT_MS      2000
#define NAMES_WAIT_LAST_MS 30000
#define LINES_WAIT_MS      2000
#define LINES_WAIT_LAST_MS 30000
#define DELIVERY_WAIT_MS   8000 /* at the end; the exporter tries for less */

static void complete_off_cpu(const struct report_job *job, struct report_off_cpu *off_cpu)
{
	const struct accounting *accounting = &job->accounting;

	off_cpu->taken = accounting->off_cpu.taken;
	off_cpu->taken_ns = accounting->off_cpu_ns.taken;
	off_cpu->exported = accounting->off_cpu.exported;
	off_cpu->exported_ns = accounting->off_cpu_ns.exported;
	memcpy(off_cpu->drops, accounting->off_cpu.drops, sizeof(off_cpu->drops));
	memcpy(off_cpu->drops_ns, accounting->off_cpu_ns.drops, sizeof(off_cpu->drops_ns));
	off_cpu->times = job->counts.off_cpu.seen.times;
	off_cpu->times_ns = job->counts.off_cpu.seen.times_ns;
	off_cpu->untracked = job->counts.off_cpu.seen.untracked;
	off_cpu->unseen_ns = job->counts.off_cpu.seen.unseen_ns;
	off_cpu->wakers_lost =
		job->counts.off_cpu.seen.wakers_lost + job->result.off_cpu.wakers_lost;
	off_cpu->in_progress = job->result.off_cpu.in_progress;
	off_cpu->in_progress_ns = job->result.off_cpu.in_progress_ns;
}

static void complete_report(const struct report_job *job, struct report *report)
{
	report->hz = job->options->hz;
	report->title = job->options->title;
	report->folded_lines = job->options->folded_lines;
	report->resource = job->settings ? &job->settings->resource.resource : NULL;
	report->start_unix_ns = job->start_unix_ns;
	report->duration_ns = job->duration_ns;
	report->taken = job->accounting.on_cpu.taken;
	report->not_run = job->accounting.not_run;
	report->thinned = job->counts.bpf.thinned;
	memcpy(report->weight_ns, job->counts.weight_ns, sizeof(report->weight_ns));
	report->late_records = job->late_records;
	report->threads_missing = job->threads_missing;
	memcpy(report->drops, job->accounting.on_cpu.drops, sizeof(report->drops));
	complete_off_cpu(job, &report->off_cpu);
	if (job->options->off_cpu)
		report->kinds |= 1u << TM_SAMPLE_OFF_CPU;
}

static void fill_result(const struct report *report, struct tm_result *result)
{
	result->exported = report->exported;
	result->on_cpu_ns = report->sums[TM_SAMPLE_ON_CPU].value;
	result->shown = report_number(report, report->sums[report->shown].value);
	result->off_cpu.woken = report->off_cpu.woken;
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

static void send_top(const struct report *report, int control)
{
	struct tm_top rows[TM_TOP_ROWS];
	int count = functions_top(report, rows);

	for (int i = 0; i < count; i++) {
		struct tm_control message = {.kind = TM_CONTROL_TOP};

		*tm_result_top(&message) = rows[i];
		(void)tm_control_send_message(control, &message);
	}
}

/* --- naming ----------------------------------------------------------------------------------- */

/* Return: whether @bytes are free now. */
static bool are_free(struct budget *budget, uint64_t bytes)
{
	if (budget_take(budget, bytes))
		return false;
	budget_give(budget, bytes);
	return true;
}

/* Return: the bit of each that is written. */
static uint32_t formats_of(const struct report_job *job)
{
	uint32_t formats = job->delivery ? 1u << OUTPUTS_OTLP : 0;

	for (int i = 0; i < job->options->output_count; i++)
		formats |= 1u << job->outputs[i].format;
	return formats;
}

/* Stacks are merged until names and report of the others find memory. */
static void collect(struct report_job *job)
{
	struct interval *interval = job->interval;
	const uint32_t formats = formats_of(job);

	while (name_table_collect(&job->names, &interval->aggregate) ||
	       !are_free(&interval->budget,
			 report_need_about(&interval->aggregate, &job->names, formats))) {
		if (!aggregate_merge(&interval->aggregate))
			return; /* what was collected is named */
		name_table_clear(&job->names);
	}
}

/* Symbols that the parser has not made yet are waited for; the reader goes on meanwhile. */
static void name(struct report_job *job)
{
	const struct files *files = job->interval->aggregate.files;
	const int64_t wait_ms = job->last ? NAMES_WAIT_LAST_MS : NAMES_WAIT_MS;

	jit_names_prepare(&job->names.jit, &job->interval->aggregate, wait_ms);
	collect(job);
	name_table_wait(&job->names, files, wait_ms);
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

/* --- building --------------------------------------------------------------------------------- */

struct making { /* a report for which, with what its writers need, there is memory */
	struct report_job *job;
	struct report_build build;
	struct budget *budget;
	uint64_t charged;
};

static int charge(struct making *making, uint64_t bytes)
{
	if (budget_take(making->budget, bytes))
		return -ENOMEM;
	making->charged += bytes;
	return 0;
}

static uint64_t need_of_writers(const struct report_job *job, const struct report *report)
{
	uint64_t most = job->delivery ? report_need_write(report, OUTPUTS_OTLP) : 0;

	for (int i = 0; i < job->options->output_count; i++) {
		uint64_t bytes = report_need_write(report, job->outputs[i].format);

		most = bytes > most ? bytes : most;
	}
	return most;
}

/* Return: 0, -ENOMEM. */
static int build(struct making *making)
{
	struct report_job *job = making->job;
	struct interval *interval = job->interval;
	struct report_build *of = &making->build;
	int r = charge(making, report_need_build(&interval->aggregate) +
				       report_threads_need(&interval->threads));
	int built = report_build_init(of, &interval->aggregate, &job->names, job->kernel);

	if (!built)
		built = report_build_threads(of, &interval->threads);
	complete_report(job, &of->report);
	if (!built && job->demangle)
		job->result.undemangled = display_names_set(of, &interval->strings, job->demangle);
	if (!r && !built && of->frames.overflow)
		r = -ENOMEM; /* some frames are shown as [memory] */
	if (!r && !built)
		r = charge(making, need_of_writers(job, &of->report));
	job->code = built;
	of->report.memory = making->budget;
	return r < 0 ? r : built;
}

static void undo(struct making *making)
{
	report_build_deinit(&making->build);
	budget_give(making->budget, making->charged);
	making->charged = 0;
}

/* Return: whether there is another report, with fewer frames. */
static bool build_coarser(struct making *making)
{
	if (!aggregate_merge(&making->job->interval->aggregate))
		return false;
	do
		undo(making);
	while (build(making) && aggregate_merge(&making->job->interval->aggregate));
	return true;
}

/* --- writing ---------------------------------------------------------------------------------- */

static int write_output(struct making *making, const struct options_output *output)
{
	int code;

	if (making->job->code < 0)
		return making->job->code;
	if (output->fd < 0)
		return -EBADF;
	/* What fails for want of memory has written nothing (report_need.h). */
	do
		code = outputs_write(output->format, output->fd, &making->build.report);
	while (code == -ENOMEM && build_coarser(making) && !making->job->code);
	return code;
}

static void write_outputs(struct making *making, int control)
{
	const struct report_job *job = making->job;

	if (tm_control_is_closed(control))
		return;
	for (int i = 0; i < job->options->output_count; i++)
		(void)tm_control_send(control, TM_CONTROL_OUTPUT,
				      write_output(making, &job->outputs[i]), (uint64_t)i);
}

/* --- sending ---------------------------------------------------------------------------------- */

static void send_report(struct making *making)
{
	const struct report_job *job = making->job;
	const struct report *report = &making->build.report;
	int r = 0;

	do
		r = job->code ? -ENOMEM
			      : report_send(job->delivery, report, &job->times,
					    !job->options->otlp_uncompressed);
	while (r && build_coarser(making) && !job->code);
	if (r)
		report_send_fail(job->delivery, report);
}

/* A report that nobody waits for any more is not sent. */
static void deliver(struct making *making, int control)
{
	struct report_job *job = making->job;

	if (!job->delivery)
		return;
	if (!tm_control_is_closed(control))
		send_report(making);
	if (job->last)
		report_delivery_finish(job->delivery, DELIVERY_WAIT_MS);
	report_delivery_result(job->delivery, &job->result.export);
}

void report_make(struct report_job *job, int control, struct report_notes *notes)
{
	struct making making = {.job = job, .budget = &job->interval->budget};

	name(job);
	if (build(&making))
		(void)build_coarser(&making);
	report_notes_send(notes, job, control);
	write_outputs(&making, control);
	deliver(&making, control);
	if (!job->code)
		send_top(&making.build.report, control);
	fill_result(&making.build.report, &job->result);
	undo(&making);
}
