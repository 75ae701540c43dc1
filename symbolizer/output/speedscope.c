/* SPDX-License-Identifier: Apache-2.0 */
/*
 * speedscope - the samples as speedscope.app reads them, a profile per process and kind
 *
 * Those of on-CPU samples come first. The stack of an off-CPU sample ends in its thread's state.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "output_version.h"
#include "shared/cleanup.h"
#include "shared/reasons.h"
#include "symbolizer/base/sort.h"
#include "symbolizer/output/functions.h"
#include "symbolizer/output/output_file.h"
#include "symbolizer/output/report.h"
#include "symbolizer/output/stack_order.h"

#define STOP_FRAMES (TM_STOP_N - TM_STOP_NONE - 1)

struct view {
	const struct report *report;
	const uint64_t *totals; /* by process and kind */
};

static uint32_t total_of(const struct report_sample *sample)
{
	return TM_SAMPLE_KINDS_N * sample->process + sample->kind;
}

/* By kind, then by process, the one with most time first. */
static int compare_samples(uint32_t a, uint32_t b, const void *context)
{
	const struct view *view = context;
	const struct report *report = view->report;
	const struct report_sample *left = &report->samples[a];
	const struct report_sample *right = &report->samples[b];
	int order = sort_by_number(left->kind, right->kind);

	if (order == 0)
		order = sort_by_number(view->totals[total_of(right)], view->totals[total_of(left)]);
	return order != 0 ? order : sort_by_number(left->process, right->process);
}

/* The source file and line of a function where they are known, else the file that it is in. */
static void write_frame(struct output_file *out, const struct report *report,
			const struct function *function)
{
	uint32_t path = function->path;

	if (path == 0 && function->file != REPORT_NO_FILE)
		path = report->files[function->file].path;
	output_file_text(out, "{\"name\":");
	output_file_json_string(out, report->strings[function->name]);
	if (path != 0) {
		output_file_text(out, ",\"file\":");
		output_file_json_string(out, report->strings[path]);
	}
	if (function->path != 0 && function->line != 0) {
		output_file_text(out, ",\"line\":");
		output_file_number(out, function->line);
	}
	output_file_text(out, "}");
}

/* Functions first, then one frame for each truncation reason and each state. */
static void write_frames(struct output_file *out, const struct report *report,
			 const struct functions *functions)
{
	output_file_text(out, "\"shared\":{\"frames\":[");
	for (uint32_t i = 0; i < functions->count; i++) {
		write_frame(out, report, &functions->items[i]);
		output_file_text(out, ",");
	}
	for (unsigned stop = TM_STOP_NONE + 1; stop < TM_STOP_N; stop++)
		output_file_format(out, "%s{\"name\":\"[truncated: %s]\"}",
				   stop > TM_STOP_NONE + 1 ? "," : "", tm_reasons_stop(stop));
	for (unsigned state = TM_THREAD_ON_CPU + 1;
	     report_has(report, TM_SAMPLE_OFF_CPU) && state < TM_THREAD_STATES_N; state++)
		output_file_format(out, ",{\"name\":\"[%s]\"}", tm_reasons_thread(state));
	output_file_text(out, "]}");
}

static void write_stack(struct output_file *out, const struct report *report,
			const struct functions *functions, const struct report_sample *sample)
{
	struct stack_walk walk = stack_walk_start(report, &report->stacks[sample->stack]);
	const char *separator = "";
	uint32_t call;

	output_file_text(out, "[");
	if (sample->stop != TM_STOP_NONE) {
		output_file_number(out, (uint64_t)functions->count + sample->stop - 1);
		separator = ",";
	}
	while ((call = stack_walk_next(&walk)) != STACK_WALK_END) {
		output_file_text(out, separator);
		output_file_number(out, functions->of_call[call]);
		separator = ",";
	}
	if (report_sample_ends_in_state(sample)) {
		output_file_text(out, separator);
		output_file_number(out,
				   (uint64_t)functions->count + STOP_FRAMES + sample->state - 1);
	}
	output_file_text(out, "]");
}

/* With no more digits than a double holds. */
static void write_seconds(struct output_file *out, uint64_t ns)
{
	output_file_format(out, "%.15g", (double)ns / (double)TM_NS_PER_SECOND);
}

static int write_name(struct output_file *out, const struct report *report,
		      const struct report_sample *sample)
{
	const struct report_process *of = &report->processes[sample->process];
	const char *kind = sample->kind == TM_SAMPLE_OFF_CPU ? " off-CPU" : "";
	const char *comm = report->strings[of->comm];
	_cleanup_(tm_freep) char *name = NULL;
	int r;

	if (of->reuse)
		r = asprintf(&name, "%s (%u #%u)%s", comm, of->tgid, of->reuse, kind);
	else
		r = asprintf(&name, "%s (%u)%s", comm, of->tgid, kind);
	if (r < 0) {
		name = NULL;
		return -ENOMEM;
	}
	output_file_json_string(out, name);
	return 0;
}

static int write_process(struct output_file *out, const struct report *report,
			 const struct functions *functions, const uint32_t *samples, uint32_t count)
{
	uint64_t total = 0;
	int r;

	output_file_text(out, "{\"type\":\"sampled\",\"name\":");
	r = write_name(out, report, &report->samples[samples[0]]);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < count; i++)
		total += report->samples[samples[i]].value;
	output_file_text(out, ",\"unit\":\"seconds\",\"startValue\":0,\"endValue\":");
	write_seconds(out, total);
	output_file_text(out, ",\"samples\":[");
	for (uint32_t i = 0; i < count; i++) {
		output_file_text(out, i > 0 ? ",\n" : "\n");
		write_stack(out, report, functions, &report->samples[samples[i]]);
	}
	output_file_text(out, "],\"weights\":[");
	for (uint32_t i = 0; i < count; i++) {
		output_file_text(out, i > 0 ? "," : "");
		write_seconds(out, report->samples[samples[i]].value);
	}
	output_file_text(out, "]}");
	return 0;
}

/* The viewer refuses a file without any profile. */
static void write_nothing(struct output_file *out)
{
	output_file_text(out, "{\"type\":\"sampled\",\"name\":\"no samples\",\"unit\":\"seconds\","
			      "\"startValue\":0,\"endValue\":0,\"samples\":[],\"weights\":[]}");
}

/* The process with most time first: the viewer opens with it. */
static int write_profiles(struct output_file *out, const struct report *report,
			  const struct functions *functions)
{
	_cleanup_(tm_freep) uint64_t *totals =
		calloc(TM_SAMPLE_KINDS_N * ((size_t)report->process_count + 1), sizeof(*totals));
	_cleanup_(tm_freep) uint32_t *samples = NULL;
	const struct view view = {.report = report, .totals = totals};
	uint32_t count = report->sample_count;

	if (!totals)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		totals[total_of(&report->samples[i])] += report->samples[i].value;
	if (count == 0)
		write_nothing(out);
	samples = sort_new(count, compare_samples, &view);
	if (!samples)
		return -ENOMEM;
	for (uint32_t i = 0; i < count;) {
		uint32_t of = total_of(&report->samples[samples[i]]);
		uint32_t next = i;
		int r;

		while (next < count && total_of(&report->samples[samples[next]]) == of)
			next++;
		output_file_text(out, i > 0 ? ",\n" : "\n");
		r = write_process(out, report, functions, samples + i, next - i);
		if (r < 0)
			return r;
		i = next;
	}
	return 0;
}

int speedscope_write(struct output_file *out, const struct report *report)
{
	_cleanup_(functions_deinit) struct functions functions = {0};
	int r = functions_init(&functions, report);

	if (r < 0)
		return r;
	output_file_text(out,
			 "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
			 "\"exporter\":\"tidemark " OUTPUT_VERSION "\",\n\"name\":");
	output_file_json_string(out, report->title ? report->title : "");
	output_file_text(out, ",\n\"activeProfileIndex\":0,\n");
	write_frames(out, report, &functions);
	output_file_text(out, ",\n\"profiles\":[");
	r = write_profiles(out, report, &functions);
	if (r < 0)
		return r;
	output_file_text(out, "]}\n");
	return output_file_finish(out);
}
