/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_build - builds the report from the aggregated samples and the names
 */

#include "symbolizer/output/report_build.h"

#include <errno.h>
#include <stdlib.h>

#include "symbolizer/output/report_processes.h"

static void *zeroed(uint64_t count, size_t bytes)
{
	return calloc(count ? count : 1, bytes);
}

static uint64_t count_encoded(const struct aggregate *aggregate)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < aggregate->stack_count; i++)
		count += aggregate->stacks[i].count;
	return count;
}

static int add_stacks(struct report_build *build, const struct aggregate *aggregate)
{
	uint32_t at = 0;

	build->stacks = zeroed(aggregate->stack_count, sizeof(*build->stacks));
	build->stack_frames = zeroed(count_encoded(aggregate), sizeof(*build->stack_frames));
	if (!build->stacks || !build->stack_frames)
		return -ENOMEM;
	for (uint32_t i = 0; i < aggregate->stack_count; i++) {
		const struct aggregate_stack *stack = &aggregate->stacks[i];

		build->stacks[i] = (struct report_stack){at, stack->count};
		for (uint32_t f = 0; f < stack->count; f++)
			build->stack_frames[at++] =
				report_frames_of(&build->frames, stack->frames[f], stack->process);
	}
	build->report.stacks = build->stacks;
	build->report.stack_count = aggregate->stack_count;
	build->report.stack_frames = build->stack_frames;
	build->report.stack_frame_count = at;
	return 0;
}

/* Numbers the generations that have a sample, in the order of their first one. */
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
			.container = process->container,
			.pod = process->pod,
			.exec_id = process->exec_id,
			.start_boottime = process->start_boottime,
		};
	}
	build->report.processes = build->processes;
	return report_processes_number(build->processes, build->report.process_count);
}

static void count_line(struct report_build *build, uint64_t word, uint64_t count)
{
	uint64_t kind = word >> TM_FRAME_KIND_SHIFT;
	const struct name_table_place *place = NULL;

	if (kind == TM_FRAME_FILE)
		place = name_table_find(build->frames.files.names, name_table_key(word));
	if (!place)
		return;
	if (place->no_line < TM_NO_LINE_N)
		build->report.no_line[place->no_line] += count;
	else
		build->report.lines += place->call_count ? count : 0;
}

static void count_frames(struct report_build *build, const struct aggregate *aggregate,
			 const struct report_sample *sample)
{
	const struct aggregate_stack *words = &aggregate->stacks[sample->stack];
	const uint32_t *frames = &build->stack_frames[build->stacks[sample->stack].first];
	struct report *report = &build->report;

	report->frames_shown += (words->count - aggregate_is_merged(words)) * sample->count;
	report->merged += aggregate_is_merged(words) ? sample->count : 0;
	report->truncated[sample->stop] += sample->stop != TM_STOP_NONE ? sample->count : 0;
	for (uint32_t f = aggregate_is_merged(words); f < words->count; f++) {
		if (build->frames.frames[frames[f]].unnamed) {
			report->unnamed_frames += sample->count;
			report->unnamed[name_table_reason(build->frames.files.names,
							  words->frames[f], words->process)] +=
				sample->count;
		}
		count_line(build, words->frames[f], sample->count);
		if (words->frames[f] >> TM_FRAME_KIND_SHIFT == TM_FRAME_UNRESOLVED)
			report->unresolved[words->frames[f] & 0xff] += sample->count;
	}
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
			.stop = (uint8_t)sample->stop,
			.flags = sample->flags,
			.count = sample->count,
		};
		count_frames(build, aggregate, &build->samples[i]);
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

int report_build_init(struct report_build *build, const struct aggregate *aggregate,
		      const struct name_table *names, const struct ksyms *kernel)
{
	int r;

	*build = (struct report_build){.report.title = ""};
	r = number_processes(build, aggregate);
	if (report_frames_init(&build->frames, aggregate->files, names, kernel, aggregate->strings,
			       build->numbers) &&
	    !r)
		r = -ENOMEM;
	if (!r)
		r = fill(build, aggregate);
	count_unopened(build, aggregate->processes);
	point_to_tables(build, aggregate->strings);
	build->report.exported = aggregate->exported;
	return r;
}

void report_build_deinit(struct report_build *build)
{
	report_frames_deinit(&build->frames);
	free(build->numbers);
	free(build->stack_frames);
	free(build->stacks);
	free(build->processes);
	free(build->samples);
	build->numbers = NULL;
	build->stack_frames = NULL;
	build->stacks = NULL;
	build->processes = NULL;
	build->samples = NULL;
}
