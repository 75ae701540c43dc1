/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_build - builds the report from the aggregated samples and the names
 */

#include "symbolizer/output/report_build.h"

#include <errno.h>
#include <stdlib.h>

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
				report_frames_of(&build->frames, stack->frames[f]);
	}
	build->report.stacks = build->stacks;
	build->report.stack_count = aggregate->stack_count;
	build->report.stack_frames = build->stack_frames;
	build->report.stack_frame_count = at;
	return 0;
}

/* Generations without a sample are left out. */
static int add_processes(struct report_build *build, const struct process_table *table,
			 const uint32_t *number)
{
	build->processes = zeroed(table->count, sizeof(*build->processes));
	if (!build->processes)
		return -ENOMEM;
	for (uint32_t i = 0; i < table->count; i++) {
		const struct process *process = &table->items[i];

		if (!number[i])
			continue;
		build->processes[number[i] - 1] = (struct report_process){
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
		build->report.process_count++;
	}
	build->report.processes = build->processes;
	return 0;
}

static void count_frames(struct report_build *build, const struct aggregate *aggregate,
			 const struct report_sample *sample)
{
	const struct aggregate_stack *words = &aggregate->stacks[sample->stack];
	const uint32_t *frames = &build->stack_frames[build->stacks[sample->stack].first];
	struct report *report = &build->report;

	report->frames_shown += words->count * sample->count;
	report->truncated[sample->stop] += sample->stop != TM_STOP_NONE ? sample->count : 0;
	for (uint32_t f = 0; f < words->count; f++) {
		if (build->frames.frames[frames[f]].unnamed)
			report->unnamed_frames += sample->count;
		if (words->frames[f] >> TM_FRAME_KIND_SHIFT == TM_FRAME_UNRESOLVED)
			report->unresolved[words->frames[f] & 0xff] += sample->count;
	}
}

static int add_samples(struct report_build *build, const struct aggregate *aggregate)
{
	uint32_t *number = zeroed(aggregate->processes->count, sizeof(*number));
	uint32_t processes = 0;
	int r;

	build->samples = zeroed(aggregate->sample_count, sizeof(*build->samples));
	if (!number || !build->samples) {
		free(number);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < aggregate->sample_count; i++) {
		const struct aggregate_sample *sample = &aggregate->samples[i];

		if (!number[sample->process])
			number[sample->process] = ++processes;
		build->samples[i] = (struct report_sample){
			.process = number[sample->process] - 1,
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
	r = add_processes(build, aggregate->processes, number);
	free(number);
	return r;
}

static void count_unopened(struct report_build *build)
{
	for (uint32_t i = 0; i < build->frames.file_count; i++)
		if (build->frames.files[i].unopened)
			build->report.unopened[build->frames.files[i].no_file]++;
}

int report_build_init(struct report_build *build, const struct aggregate *aggregate,
		      const struct name_table *names, const struct ksyms *kernel)
{
	struct report *report = &build->report;
	int r;

	*build = (struct report_build){.report.title = ""};
	aggregate->strings->budget->limit += BUDGET_REPORT_BYTES;
	r = report_frames_init(&build->frames, aggregate->files, names, kernel, aggregate->strings)
		    ? -ENOMEM
		    : add_stacks(build, aggregate);
	if (!r)
		r = add_samples(build, aggregate);
	count_unopened(build);
	report->frames = build->frames.frames;
	report->frame_count = build->frames.frame_count;
	report->files = build->frames.files;
	report->file_count = build->frames.file_count;
	report->strings = aggregate->strings->items;
	report->string_count = aggregate->strings->count;
	report->exported = aggregate->exported;
	return r;
}

void report_build_deinit(struct report_build *build)
{
	report_frames_deinit(&build->frames);
	free(build->stack_frames);
	free(build->stacks);
	free(build->processes);
	free(build->samples);
	build->stack_frames = NULL;
	build->stacks = NULL;
	build->processes = NULL;
	build->samples = NULL;
}
