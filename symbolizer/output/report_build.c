/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_build - builds the report from the aggregated samples and the names
 */

#include "symbolizer/output/report_build.h"

#include <errno.h>
#include <stdlib.h>

#include "symbolizer/output/report_processes.h"
#include "symbolizer/output/report_threads.h"

static void *zeroed(uint64_t count, size_t bytes)
{
	return calloc(count ? count : 1, bytes);
}

static int add_stacks(struct report_build *build, const struct aggregate *aggregate)
{
	int r = report_stacks_init(&build->stacks, aggregate, &build->frames);

	return r ? r
		 : report_wakers_init(&build->wakers, &build->stacks, &build->frames, aggregate);
}

/* Numbers the generations in the order of their first samples, then those with a thread alone. */
static int number_processes(struct report_build *build, const struct aggregate *aggregate)
{
	build->numbers = zeroed(aggregate->processes->count, sizeof(*build->numbers));
	if (!build->numbers)
		return -ENOMEM;
	for (uint32_t i = 0; i < aggregate->sample_count; i++) {
		uint32_t *number = &build->numbers[aggregate->samples[i].process];

		if (!*number)
			*number = ++build->report.process_count;
	}
	for (uint32_t i = 0; i < aggregate->processes->count; i++)
		if (aggregate->processes->items[i].sampled && !build->numbers[i])
			build->numbers[i] = ++build->report.process_count;
	return 0;
}

/* Generations without a sample are left out. */
static int add_processes(struct report_build *build, const struct process_table *table)
{
	build->processes = zeroed(build->report.process_count, sizeof(*build->processes));
	if (!build->processes)
		return -ENOMEM;
	for (uint32_t i = 0; i < table->count; i++) {
		const struct process *process = &table->items[i];

		if (!build->numbers[i])
			continue;
		build->processes[build->numbers[i] - 1] = (struct report_process){
			.tgid = process->tgid,
			.ns_tgid = process->ns_tgid,
			.comm = process->comm,
			.exe = process->exe,
			.cgroup = process->cgroup,
			.owner = process->owner,
			.container = process->container,
			.context = process->context,
			.missing = process->missing,
			.pod = process->pod,
			.exec_id = process->exec_id,
			.euid = process->euid,
			.start_boottime = process->start_boottime,
		};
	}
	build->report.processes = build->processes;
	return report_processes_number(build->processes, build->report.process_count);
}

static void count_line(struct report_build *build, uint64_t word, const struct report_frame *frame,
		       uint64_t count)
{
	uint64_t kind = word >> TM_FRAME_KIND_SHIFT;
	const struct name_table_place *place = NULL;

	if ((kind == TM_FRAME_ANON || kind == TM_FRAME_METHOD) &&
	    build->frames.calls[frame->first_call].line)
		build->report.lines += count;
	if (kind == TM_FRAME_FILE)
		place = name_table_find(build->frames.files.names, name_table_key(word));
	if (!place)
		return;
	if (place->no_line < TM_NO_LINE_N)
		build->report.no_line[place->no_line] += count;
	else
		build->report.lines += place->call_count ? count : 0;
}

/* @word: what @frame was, in a stack of @process. */
static void count_frame(struct report_build *build, uint64_t word, uint32_t process,
			const struct report_frame *frame, uint64_t count)
{
	struct report *report = &build->report;

	report->frames_shown += count;
	if (frame->unnamed) {
		report->unnamed_frames += count;
		report->unnamed[name_table_reason(build->frames.files.names, word, process)] +=
			count;
	}
	count_line(build, word, frame, count);
	if (word >> TM_FRAME_KIND_SHIFT == TM_FRAME_UNRESOLVED && (word & 0xff) < TM_UNRESOLVED_N)
		report->unresolved[word & 0xff] += count;
}

static void count_frames(struct report_build *build, const struct aggregate *aggregate,
			 const struct report_sample *sample)
{
	const struct aggregate_stack *words = &aggregate->stacks[sample->stack];
	const uint32_t *frame = &build->stacks.frames[build->stacks.items[sample->stack].first];
	struct report *report = &build->report;
	const bool merged = aggregate_is_merged(words);

	report->merged += merged ? sample->count : 0;
	report->truncated[sample->stop] += sample->stop != TM_STOP_NONE ? sample->count : 0;
	frame += merged;
	for (uint32_t f = merged; f < words->count; f++)
		if (!report_stacks_hide(&build->frames, words, f))
			count_frame(build, words->frames[f], words->process,
				    &build->frames.frames[*frame++], sample->count);
}

/* Its stack, and what the report says of it. */
static void set_off_cpu(struct report_build *build, const struct aggregate_sample *from,
			struct report_sample *sample)
{
	sample->stack = build->stacks.off_cpu[from->stack];
	if (from->waker_stack) {
		sample->stack = report_wakers_stack(&build->wakers, from, sample->stack);
		sample->woken = sample->stack >= build->wakers.first;
		build->report.off_cpu.woken += sample->woken ? sample->count : 0;
	}
	if (sample->stop != TM_STOP_NONE)
		build->report.off_cpu.truncated[sample->stop] += sample->count;
}

static int add_samples(struct report_build *build, const struct aggregate *aggregate)
{
	build->samples = zeroed(aggregate->sample_count, sizeof(*build->samples));
	if (!build->samples)
		return -ENOMEM;
	for (uint32_t i = 0; i < aggregate->sample_count; i++) {
		const struct aggregate_sample *sample = &aggregate->samples[i];

		build->samples[i] = (struct report_sample){
			.process = build->numbers[sample->process] - 1,
			.tid = sample->tid,
			.comm = sample->comm,
			.stack = sample->stack,
			.stop = sample->stop,
			.kind = sample->kind,
			.state = sample->state,
			.flags = sample->flags,
			.count = sample->count,
			.value = sample->value,
		};
		if (sample->kind == TM_SAMPLE_ON_CPU)
			count_frames(build, aggregate, &build->samples[i]);
		else
			set_off_cpu(build, sample, &build->samples[i]);
	}
	build->report.samples = build->samples;
	build->report.sample_count = aggregate->sample_count;
	return 0;
}

/* A file, or the perf map of a process; one that has no map needs none. */
static void count_unopened(struct report_build *build, const struct process_table *processes)
{
	for (uint32_t i = 0; build->numbers && i < processes->count; i++) {
		uint8_t refused = processes->items[i].map_refused;

		if (build->numbers[i] && refused && refused != TM_NO_FILE_GONE)
			build->report.unopened[refused]++;
	}
	for (uint32_t i = 0; i < build->frames.files.count; i++)
		if (build->frames.files.items[i].unopened)
			build->report.unopened[build->frames.files.items[i].no_file]++;
}

static void point_to_tables(struct report_build *build, const struct strings *strings)
{
	struct report *report = &build->report;

	report->calls = build->frames.calls;
	report->call_count = build->frames.call_count;
	report->frames = build->frames.frames;
	report->frame_count = build->frames.frame_count;
	report->files = build->frames.files.items;
	report->file_count = build->frames.files.count;
	report->segments = build->frames.files.segments;
	report->segment_count = build->frames.files.segment_count;
	report->stacks = build->stacks.items;
	report->stack_count = build->stacks.count;
	report->stack_frames = build->stacks.frames;
	report->stack_frame_count = build->stacks.frame_count;
	report->strings = strings->items;
	report->string_count = strings->count;
}

static int fill(struct report_build *build, const struct aggregate *aggregate)
{
	int r = add_stacks(build, aggregate);

	if (!r)
		r = add_processes(build, aggregate->processes);
	if (!r)
		r = add_samples(build, aggregate);
	return r;
}

/* On-CPU is always recorded. */
static void add_sums(struct report *report, const struct aggregate *aggregate)
{
	report->kinds = 1u << TM_SAMPLE_ON_CPU;
	for (unsigned kind = 0; kind < TM_SAMPLE_KINDS_N; kind++) {
		report->sums[kind] = aggregate->exported[kind];
		if (report->sums[kind].count)
			report->kinds |= 1u << kind;
	}
	report->exported = report->sums[TM_SAMPLE_ON_CPU].count;
	report->period_ns = aggregate->period_ns;
}

int report_build_init(struct report_build *build, const struct aggregate *aggregate,
		      const struct name_table *names, const struct ksyms *kernel)
{
	int r;

	*build = (struct report_build){.report.title = ""};
	r = number_processes(build, aggregate);
	if (report_frames_init(&build->frames, aggregate, names, kernel, build->numbers) && !r)
		r = -ENOMEM;
	if (!r)
		r = fill(build, aggregate);
	count_unopened(build, aggregate->processes);
	point_to_tables(build, aggregate->strings);
	add_sums(&build->report, aggregate);
	return r;
}

int report_build_threads(struct report_build *build, const struct thread_rows *rows)
{
	build->threads = report_threads_make(rows, build->numbers, &build->report.thread_count);
	build->report.threads = build->threads;
	return build->threads ? 0 : -ENOMEM;
}

void report_build_deinit(struct report_build *build)
{
	report_wakers_deinit(&build->wakers);
	report_frames_deinit(&build->frames);
	free(build->numbers);
	report_stacks_deinit(&build->stacks);
	free(build->processes);
	free(build->samples);
	free(build->threads);
	build->numbers = NULL;
	build->processes = NULL;
	build->samples = NULL;
	build->threads = NULL;
}
