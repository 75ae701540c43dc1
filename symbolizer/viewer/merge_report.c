/* SPDX-License-Identifier: Apache-2.0 */
/* merge_report - the merged report as the writers of outputs see it */

#include "symbolizer/viewer/merge_report.h"

#include <stdlib.h>

#include "shared/cleanup.h"
#include "symbolizer/base/sort.h"
#include "symbolizer/output/report_processes.h"

/* --- segments --------------------------------------------------------------------------------- */

static int compare_segments(uint32_t a, uint32_t b, const void *context)
{
	const struct merge_segment *left = (const struct merge_segment *)context + a;
	const struct merge_segment *right = (const struct merge_segment *)context + b;
	int order = sort_by_number(left->file, right->file);

	if (order == 0)
		order = sort_by_number(left->place.offset, right->place.offset);
	return order != 0 ? order : sort_by_number(left->place.vaddr, right->place.vaddr);
}

/* A file's segments stand together in the report. @order: of the merged ones. */
static void place_segments(struct merge *merge, const uint32_t *order,
			   struct report_segment *segments, uint32_t *numbers)
{
	const struct merge_segment *merged = merge->segments.items;
	struct report_file *files = merge->files.items;
	struct report_frame *frames = merge->frames.items;

	for (uint32_t i = 0; i < merge->segments.count; i++) {
		struct report_file *file = &files[merged[order[i]].file];

		segments[i] = merged[order[i]].place;
		numbers[order[i]] = i;
		if (file->segment_count++ == 0)
			file->first_segment = i;
	}
	for (uint32_t i = 0; i < merge->frames.count; i++)
		if (frames[i].segment != REPORT_NO_SEGMENT)
			frames[i].segment = numbers[frames[i].segment];
}

/* What the report has beside the merged tables. */
static uint64_t beside_bytes(const struct merge *merge)
{
	return ((uint64_t)merge->segments.count + 1) * sizeof(struct report_segment) +
	       ((uint64_t)merge->processes.count + 1) * sizeof(struct report_process);
}

static int add_segments(struct merge *merge, struct report *report)
{
	const uint32_t count = merge->segments.count;
	_cleanup_(tm_freep) uint32_t *order =
		sort_new(count, compare_segments, merge->segments.items);
	_cleanup_(tm_freep) uint32_t *numbers = calloc((size_t)count + 1, sizeof(*numbers));
	struct report_segment *segments = calloc((size_t)count + 1, sizeof(*segments));

	report->segments = segments;
	report->segment_count = count;
	if (!order || !numbers || !segments)
		return BUDGET_E_SPENT;
	place_segments(merge, order, segments, numbers);
	return 0;
}

/* Numbers the processes that have a sample, in the order of these. @numbers: zeros. Return: how
 * many. */
static uint32_t number_processes(struct merge *merge, uint32_t *numbers)
{
	struct report_sample *samples = merge->samples.items;
	struct report_frame *frames = merge->frames.items;
	uint32_t count = 0;

	for (uint32_t i = 0; i < merge->samples.count; i++) {
		uint32_t *number = &numbers[samples[i].process];

		if (!*number)
			*number = ++count;
		samples[i].process = *number - 1;
	}
	/* A frame of a request that was taken back may be of a process without one. */
	for (uint32_t i = 0; i < merge->frames.count; i++)
		if (frames[i].process != REPORT_NO_PROCESS)
			frames[i].process = numbers[frames[i].process] - 1;
	return count;
}

static int add_processes(struct merge *merge, struct report *report)
{
	const struct merge_process *merged = merge->processes.items;
	_cleanup_(tm_freep) uint32_t *numbers =
		calloc((size_t)merge->processes.count + 1, sizeof(*numbers));
	struct report_process *processes =
		calloc((size_t)merge->processes.count + 1, sizeof(*processes));

	report->processes = processes;
	if (!numbers || !processes)
		return BUDGET_E_SPENT;
	report->process_count = number_processes(merge, numbers);
	for (uint32_t i = 0; i < merge->processes.count; i++)
		if (numbers[i])
			processes[numbers[i] - 1] = merged[i].process;
	return report_processes_number(processes, report->process_count) < 0 ? BUDGET_E_SPENT : 0;
}

/* --- the rest --------------------------------------------------------------------------------- */

static void point_to_tables(const struct merge *merge, struct report *report)
{
	report->strings = merge->strings.items;
	report->string_count = merge->strings.count;
	report->files = merge->files.items;
	report->file_count = merge->files.count;
	report->calls = merge->calls;
	report->call_count = merge->call_count;
	report->frames = merge->frames.items;
	report->frame_count = merge->frames.count;
	report->stack_frames = merge->stack_frames;
	report->stack_frame_count = merge->stack_frame_count;
	report->stacks = merge->stacks.items;
	report->stack_count = merge->stacks.count;
	report->samples = merge->samples.items;
	report->sample_count = merge->samples.count;
	report->threads_absent = true;
	report->memory = merge->budget;
}

static void add_sums(const struct otlp_reader *reader, unsigned side, struct report *report)
{
	report->kinds |= 1u << TM_SAMPLE_ON_CPU;
	for (unsigned kind = 0; kind < TM_SAMPLE_KINDS_N; kind++) {
		report->sums[kind] = reader->counts[side].selected[kind];
		if (report->sums[kind].count)
			report->kinds |= 1u << kind;
	}
	if (reader->period_ns)
		report->period_ns = reader->period_ns;
}

static int complete(const struct otlp_reader *reader, unsigned side, struct report *report)
{
	uint64_t end, covered;
	int r = merge_report_span(reader->merge, side, &report->start_unix_ns, &end, &covered);

	report->duration_ns = end - report->start_unix_ns;
	add_sums(reader, side, report);
	return r;
}

int merge_report_make(struct otlp_reader *reader, bool compare, struct report *ret_report,
		      struct report *ret_base)
{
	struct merge *merge = reader->merge;
	int r;

	*ret_report = reader->reports[0];
	*ret_base = reader->reports[1];
	ret_report->title = "";
	if (budget_take(merge->budget, beside_bytes(merge)))
		return BUDGET_E_SPENT;
	r = add_segments(merge, ret_report);
	if (r == 0)
		r = add_processes(merge, ret_report);
	point_to_tables(merge, ret_report);
	if (r == 0)
		r = complete(reader, 0, ret_report);
	if (r == 0 && compare) {
		r = complete(reader, 1, ret_base);
		ret_report->base = ret_base;
		ret_report->kinds |= ret_base->kinds;
	}
	return r;
}

void merge_report_deinit(struct merge *merge, struct report *report)
{
	if (report->segments || report->processes)
		budget_give(merge->budget, beside_bytes(merge));
	free((void *)(uintptr_t)report->segments);
	free((void *)(uintptr_t)report->processes);
	report->segments = NULL;
	report->processes = NULL;
}

/* --- intervals -------------------------------------------------------------------------------- */

static int compare_intervals(uint32_t a, uint32_t b, const void *context)
{
	const struct merge_interval *left = (const struct merge_interval *)context + a;
	const struct merge_interval *right = (const struct merge_interval *)context + b;

	return sort_by_number(left->start_unix_ns, right->start_unix_ns);
}

int merge_report_span(const struct merge *merge, unsigned side, uint64_t *ret_start_unix_ns,
		      uint64_t *ret_end_unix_ns, uint64_t *ret_covered_ns)
{
	const struct merge_interval *intervals = merge->intervals.items;
	_cleanup_(tm_freep) uint32_t *order =
		sort_new(merge->intervals.count, compare_intervals, intervals);
	uint64_t start = 0, until = 0, covered = 0;

	for (uint32_t i = 0; order && i < merge->intervals.count; i++) {
		const struct merge_interval *one = &intervals[order[i]];
		uint64_t from = one->start_unix_ns, end;

		if (one->side != side)
			continue;
		if (__builtin_add_overflow(from, one->duration_ns, &end))
			end = UINT64_MAX;
		start = until ? start : from;
		from = from < until ? until : from;
		covered += end > from ? end - from : 0;
		until = end > until ? end : until;
	}
	*ret_start_unix_ns = start;
	*ret_end_unix_ns = until;
	*ret_covered_ns = covered;
	return order ? 0 : BUDGET_E_SPENT;
}
