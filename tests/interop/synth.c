/* SPDX-License-Identifier: Apache-2.0 */
/* synth - reports made up for tests of the writers */

#include "tests/interop/synth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum synth_array {
	STRINGS,
	FILES,
	FRAMES,
	STACK_FRAMES,
	STACKS,
	PROCESSES,
	SAMPLES
};

static const size_t element_bytes[] = {
	[STRINGS] = sizeof(char *),
	[FILES] = sizeof(struct report_file),
	[FRAMES] = sizeof(struct report_frame),
	[STACK_FRAMES] = sizeof(uint32_t),
	[STACKS] = sizeof(struct report_stack),
	[PROCESSES] = sizeof(struct report_process),
	[SAMPLES] = sizeof(struct report_sample),
};

static void *grown(struct synth *synth, enum synth_array which, uint32_t *count)
{
	uint8_t *array;

	if (*count == synth->capacities[which]) {
		synth->capacities[which] = *count > 0 ? 2 * *count : 64;
		synth->arrays[which] = realloc(synth->arrays[which],
					       element_bytes[which] * synth->capacities[which]);
		if (!synth->arrays[which]) {
			fputs("synth: out of memory\n", stderr);
			exit(1);
		}
	}
	array = synth->arrays[which];
	array += element_bytes[which] * (*count)++;
	memset(array, 0, element_bytes[which]);
	return array;
}

void synth_init(struct synth *synth)
{
	memset(synth, 0, sizeof(*synth)); /* too large for a second one on the stack */
	synth->report.hz = 99;
	synth->report.start_unix_ns = 1700000000123456789ull;
	synth->report.duration_ns = 10000000000ull;
	synth->report.title = "testhost: tidemark record -d 10";
	synth_string(synth, "");
}

void synth_deinit(struct synth *synth)
{
	char **strings = synth->arrays[STRINGS];

	for (uint32_t i = 0; i < synth->report.string_count; i++)
		free(strings[i]);
	for (unsigned i = 0; i < 7; i++)
		free(synth->arrays[i]);
	memset(synth, 0, sizeof(*synth)); /* too large for a second one on the stack */
}

/* Strings are unique in a report, so this one searches; a slot holds index + 1. */
uint32_t synth_string(struct synth *synth, const char *text)
{
	uint32_t at = 5381;
	char **slot;

	for (const char *byte = text; *byte; byte++)
		at = at * 33 + (uint8_t)*byte;
	for (;; at++) {
		uint32_t known = synth->slots[at % SYNTH_SLOTS];
		char **strings = synth->arrays[STRINGS];

		if (known == 0)
			break;
		if (strcmp(strings[known - 1], text) == 0)
			return known - 1;
	}
	slot = grown(synth, STRINGS, &synth->report.string_count);
	*slot = strdup(text);
	synth->slots[at % SYNTH_SLOTS] = synth->report.string_count;
	return synth->report.string_count - 1;
}

uint32_t synth_file(struct synth *synth, const char *path, const char *build_id, int is_kernel)
{
	struct report_file file = {
		.path = synth_string(synth, path),
		.base = synth_string(synth, strrchr(path, '/') ? strrchr(path, '/') + 1 : path),
		.build_id = synth_string(synth, build_id),
		.has_symbols = true,
		.is_kernel = is_kernel ? 1 : 0,
		.vaddr_start = is_kernel ? 0 : 0x1000,
		.vaddr_end = is_kernel ? 0 : 0x200000,
		.file_offset = is_kernel ? 0 : 0x1000,
	};

	*(struct report_file *)grown(synth, FILES, &synth->report.file_count) = file;
	return synth->report.file_count - 1;
}

void synth_container(struct synth *synth, uint32_t process, const char *id, const char *pod)
{
	uint32_t container = synth_string(synth, id), uid = synth_string(synth, pod);
	struct report_process *processes = synth->arrays[PROCESSES];

	processes[process].container = container;
	processes[process].pod = uid;
}

void synth_unnamed_file(struct synth *synth, uint32_t file)
{
	struct report_file *files = synth->arrays[FILES];

	files[file].has_symbols = false;
}

uint32_t synth_frame(struct synth *synth, const char *name, uint32_t file, uint64_t address,
		     enum report_kind kind)
{
	struct report_frame frame = {
		.name = synth_string(synth, name),
		.file = file,
		.address = address,
		.kind = (uint8_t)kind,
		.unnamed = kind == REPORT_UNRESOLVED || strstr(name, "+0x") != NULL,
	};

	*(struct report_frame *)grown(synth, FRAMES, &synth->report.frame_count) = frame;
	return synth->report.frame_count - 1;
}

uint32_t synth_process(struct synth *synth, uint32_t tgid, const char *comm, const char *exe)
{
	struct report_process process = {
		.tgid = tgid,
		.ns_tgid = tgid,
		.comm = synth_string(synth, comm),
		.exe = synth_string(synth, exe),
		.exec_id = 1,
		.start_boottime = 1000ull * tgid,
	};

	*(struct report_process *)grown(synth, PROCESSES, &synth->report.process_count) = process;
	return synth->report.process_count - 1;
}

uint32_t synth_stack(struct synth *synth, const uint32_t *leaf_first, uint32_t count)
{
	struct report_stack stack = {.first = synth->report.stack_frame_count, .count = count};

	for (uint32_t i = 0; i < count; i++)
		*(uint32_t *)grown(synth, STACK_FRAMES, &synth->report.stack_frame_count) =
			leaf_first[i];
	*(struct report_stack *)grown(synth, STACKS, &synth->report.stack_count) = stack;
	return synth->report.stack_count - 1;
}

uint32_t synth_sample(struct synth *synth, uint32_t process, uint32_t tid, const char *comm,
		      uint32_t stack, uint8_t stop, uint64_t count)
{
	struct report_sample sample = {
		.process = process,
		.tid = tid,
		.comm = synth_string(synth, comm),
		.stack = stack,
		.stop = stop,
		.count = count,
	};

	*(struct report_sample *)grown(synth, SAMPLES, &synth->report.sample_count) = sample;
	synth->report.exported += count;
	if (stop != TM_STOP_NONE)
		synth->report.truncated[stop] += count;
	return synth->report.sample_count - 1;
}

const struct report *synth_report(struct synth *synth)
{
	struct report *report = &synth->report;

	report->strings = (const char *const *)synth->arrays[STRINGS];
	report->files = synth->arrays[FILES];
	report->frames = synth->arrays[FRAMES];
	report->stack_frames = synth->arrays[STACK_FRAMES];
	report->stacks = synth->arrays[STACKS];
	report->processes = synth->arrays[PROCESSES];
	report->samples = synth->arrays[SAMPLES];
	report->taken = report->exported;
	for (unsigned i = 0; i < TM_DROP_N; i++)
		report->taken += report->drops[i];
	report->frames_shown = 0;
	report->unnamed_frames = 0;
	for (uint32_t i = 0; i < report->sample_count; i++) {
		const struct report_stack *stack = &report->stacks[report->samples[i].stack];

		report->frames_shown += report->samples[i].count * stack->count;
		for (uint32_t j = 0; j < stack->count; j++)
			report->unnamed_frames +=
				report->frames[report->stack_frames[stack->first + j]].unnamed *
				report->samples[i].count;
	}
	return report;
}
