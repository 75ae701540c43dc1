/* SPDX-License-Identifier: Apache-2.0 */
/* report_builder - builds the reports that the tests of the writers write out */

#include "tests/interop/report_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/output/report_processes.h"

enum builder_array {
	STRINGS,
	FILES,
	SEGMENTS,
	CALLS,
	FRAMES,
	STACK_FRAMES,
	STACKS,
	PROCESSES,
	SAMPLES,
	THREADS
};

static const size_t element_bytes[] = {
	[STRINGS] = sizeof(char *),
	[FILES] = sizeof(struct report_file),
	[SEGMENTS] = sizeof(struct report_segment),
	[CALLS] = sizeof(struct report_call),
	[FRAMES] = sizeof(struct report_frame),
	[STACK_FRAMES] = sizeof(uint32_t),
	[STACKS] = sizeof(struct report_stack),
	[PROCESSES] = sizeof(struct report_process),
	[SAMPLES] = sizeof(struct report_sample),
	[THREADS] = sizeof(struct report_thread),
};

static void *at(struct report_builder *builder, enum builder_array which, uint32_t index)
{
	return (uint8_t *)builder->arrays[which] + element_bytes[which] * index;
}

static void *grown(struct report_builder *builder, enum builder_array which, uint32_t *count)
{
	uint8_t *array;

	if (*count == builder->capacities[which]) {
		builder->capacities[which] = *count > 0 ? 2 * *count : 64;
		builder->arrays[which] = realloc(builder->arrays[which],
						 element_bytes[which] * builder->capacities[which]);
		if (!builder->arrays[which]) {
			fputs("report_builder: out of memory\n", stderr);
			exit(1);
		}
	}
	array = builder->arrays[which];
	array += element_bytes[which] * (*count)++;
	memset(array, 0, element_bytes[which]);
	return array;
}

void report_builder_init(struct report_builder *builder)
{
	memset(builder, 0, sizeof(*builder)); /* too large for a second one on the stack */
	builder->report.hz = 99;
	builder->report.period_ns = REPORT_BUILDER_PERIOD_NS;
	builder->report.kinds = 1u << TM_SAMPLE_ON_CPU;
	builder->report.start_unix_ns = 1700000000123456789ull;
	builder->report.duration_ns = 10000000000ull;
	builder->report.title = "testhost: tidemark record -d 10";
	report_builder_string(builder, "");
}

void report_builder_deinit(struct report_builder *builder)
{
	char **strings = builder->arrays[STRINGS];

	for (uint32_t i = 0; i < builder->report.string_count; i++)
		free(strings[i]);
	for (unsigned i = 0; i < REPORT_BUILDER_ARRAYS; i++)
		free(builder->arrays[i]);
	memset(builder, 0, sizeof(*builder)); /* too large for a second one on the stack */
}

/* Strings are unique in a report, so this one searches; a slot holds index + 1. */
uint32_t report_builder_string(struct report_builder *builder, const char *text)
{
	uint32_t at = 5381;
	char **slot;

	for (const char *byte = text; *byte; byte++)
		at = at * 33 + (uint8_t)*byte;
	for (;; at++) {
		uint32_t known = builder->slots[at % REPORT_BUILDER_SLOTS];
		char **strings = builder->arrays[STRINGS];

		if (known == 0)
			break;
		if (strcmp(strings[known - 1], text) == 0)
			return known - 1;
	}
	slot = grown(builder, STRINGS, &builder->report.string_count);
	*slot = strdup(text);
	builder->slots[at % REPORT_BUILDER_SLOTS] = builder->report.string_count;
	return builder->report.string_count - 1;
}

void report_builder_segment(struct report_builder *builder, uint64_t vaddr, uint64_t bytes,
			    uint64_t offset)
{
	struct report_file *file = at(builder, FILES, builder->report.file_count - 1);
	struct report_segment *segment = grown(builder, SEGMENTS, &builder->report.segment_count);

	*segment = (struct report_segment){.vaddr = vaddr, .bytes = bytes, .offset = offset};
	file->segment_count++;
}

static const char *hash_of(const char *build_id)
{
	static char text[33];

	(void)snprintf(text, sizeof(text), "%s00112233445566778899aabbccddeeff", build_id);
	return text;
}

uint32_t report_builder_file(struct report_builder *builder, const char *path, const char *build_id,
			     int is_kernel)
{
	struct report_file file = {
		.htlhash = report_builder_string(builder, is_kernel ? "" : hash_of(build_id)),
		.path = report_builder_string(builder, path),
		.base = report_builder_string(builder,
					      strrchr(path, '/') ? strrchr(path, '/') + 1 : path),
		.build_id = report_builder_string(builder, build_id),
		.has_symbols = true,
		.is_kernel = is_kernel ? 1 : 0,
		.first_segment = builder->report.segment_count,
	};

	*(struct report_file *)grown(builder, FILES, &builder->report.file_count) = file;
	if (!is_kernel)
		report_builder_segment(builder, 0x1000, 0x1ff000, 0x1000);
	return builder->report.file_count - 1;
}

void report_builder_cgroup(struct report_builder *builder, uint32_t process, const char *path,
			   const char *container, const char *pod)
{
	struct report_process *of = at(builder, PROCESSES, process);

	of->cgroup = report_builder_string(builder, path);
	of->container = report_builder_string(builder, container);
	of->pod = report_builder_string(builder, pod);
}

void report_builder_kernel_thread(struct report_builder *builder, uint32_t process)
{
	for (uint32_t i = 0; i < builder->report.sample_count; i++) {
		struct report_sample *of = at(builder, SAMPLES, i);

		if (of->process == process)
			of->flags |= TM_FLAG_KTHREAD;
	}
}

void report_builder_ids(struct report_builder *builder, uint32_t file, const char *htlhash,
			const char *go_build_id)
{
	struct report_file *of = at(builder, FILES, file);

	of->htlhash = report_builder_string(builder, htlhash);
	of->go_build_id = report_builder_string(builder, go_build_id);
	of->is_go = go_build_id[0] != '\0';
	of->segment_count = htlhash[0] ? of->segment_count : 0;
}

void report_builder_unnamed_file(struct report_builder *builder, uint32_t file)
{
	struct report_file *of = at(builder, FILES, file);

	of->has_symbols = false;
}

void report_builder_deleted_file(struct report_builder *builder, uint32_t file)
{
	struct report_file *of = at(builder, FILES, file);

	of->deleted = true;
}

static uint32_t segment_of(struct report_builder *builder, uint32_t index, uint64_t address)
{
	const struct report_file *file;

	if (index == REPORT_NO_FILE)
		return REPORT_NO_SEGMENT;
	file = at(builder, FILES, index);
	for (uint32_t i = 0; i < file->segment_count; i++) {
		const struct report_segment *segment =
			at(builder, SEGMENTS, file->first_segment + i);

		if (address >= segment->vaddr && address - segment->vaddr < segment->bytes)
			return file->first_segment + i;
	}
	return REPORT_NO_SEGMENT;
}

uint32_t report_builder_frame(struct report_builder *builder, const char *name, uint32_t file,
			      uint64_t address, enum report_kind kind)
{
	uint32_t text = report_builder_string(builder, name);
	struct report_frame frame = {
		.first_call = builder->report.call_count,
		.call_count = 1,
		.file = file,
		.segment = segment_of(builder, file, address),
		.process = REPORT_NO_PROCESS,
		.address = address,
		.kind = (uint8_t)kind,
		.unnamed = kind == REPORT_UNRESOLVED || strstr(name, "+0x") != NULL,
	};

	*(struct report_call *)grown(builder, CALLS, &builder->report.call_count) =
		(struct report_call){.name = text, .system_name = text};
	*(struct report_frame *)grown(builder, FRAMES, &builder->report.frame_count) = frame;
	return builder->report.frame_count - 1;
}

uint32_t report_builder_anonymous(struct report_builder *builder, uint32_t process,
				  uint64_t address)
{
	uint32_t index =
		report_builder_frame(builder, "[anon]", REPORT_NO_FILE, address, REPORT_NATIVE);
	struct report_frame *frame = at(builder, FRAMES, index);

	frame->process = process;
	frame->unnamed = true;
	return index;
}

/* The calls of the last frame are the last ones. */
static struct report_call *innermost(struct report_builder *builder)
{
	const struct report_frame *frame = at(builder, FRAMES, builder->report.frame_count - 1);

	return at(builder, CALLS, frame->first_call);
}

void report_builder_inlined(struct report_builder *builder, const char *name)
{
	struct report_frame *frame = at(builder, FRAMES, builder->report.frame_count - 1);
	uint32_t text = report_builder_string(builder, name);
	struct report_call *calls;

	(void)grown(builder, CALLS, &builder->report.call_count);
	calls = innermost(builder);
	memmove(calls + 1, calls, sizeof(*calls) * frame->call_count++);
	*calls = (struct report_call){.name = text, .system_name = text};
}

void report_builder_system_name(struct report_builder *builder, const char *name)
{
	innermost(builder)->system_name = report_builder_string(builder, name);
}

void report_builder_source(struct report_builder *builder, const char *path, uint32_t line,
			   uint32_t start_line)
{
	struct report_call *call = innermost(builder);

	call->path = report_builder_string(builder, path);
	call->line = line;
	call->start_line = start_line;
}

void report_builder_generation(struct report_builder *builder, uint32_t process,
			       uint64_t start_boottime, uint32_t exec_id)
{
	struct report_process *of = at(builder, PROCESSES, process);

	of->start_boottime = start_boottime;
	of->exec_id = exec_id;
}

uint32_t report_builder_process(struct report_builder *builder, uint32_t tgid, const char *comm,
				const char *exe)
{
	struct report_process process = {
		.tgid = tgid,
		.ns_tgid = tgid,
		.comm = report_builder_string(builder, comm),
		.exe = report_builder_string(builder, exe),
		.exec_id = 1,
		.start_boottime = 1000ull * tgid,
	};

	*(struct report_process *)grown(builder, PROCESSES, &builder->report.process_count) =
		process;
	return builder->report.process_count - 1;
}

uint32_t report_builder_stack(struct report_builder *builder, const uint32_t *leaf_first,
			      uint32_t count)
{
	struct report_stack stack = {.first = builder->report.stack_frame_count, .count = count};

	for (uint32_t i = 0; i < count; i++)
		*(uint32_t *)grown(builder, STACK_FRAMES, &builder->report.stack_frame_count) =
			leaf_first[i];
	*(struct report_stack *)grown(builder, STACKS, &builder->report.stack_count) = stack;
	return builder->report.stack_count - 1;
}

uint32_t report_builder_sample(struct report_builder *builder, uint32_t process, uint32_t tid,
			       const char *comm, uint32_t stack, uint8_t stop, uint64_t count)
{
	struct report_sample sample = {
		.process = process,
		.tid = tid,
		.comm = report_builder_string(builder, comm),
		.stack = stack,
		.stop = stop,
		.kind = TM_SAMPLE_ON_CPU,
		.count = count,
		.value = count * REPORT_BUILDER_PERIOD_NS,
	};

	*(struct report_sample *)grown(builder, SAMPLES, &builder->report.sample_count) = sample;
	builder->report.exported += count;
	if (stop != TM_STOP_NONE)
		builder->report.truncated[stop] += count;
	return builder->report.sample_count - 1;
}

void report_builder_measured(struct report_builder *builder, uint32_t sample,
			     enum tm_sample_kind kind, uint64_t value)
{
	struct report_sample *of = at(builder, SAMPLES, sample);

	builder->report.kinds |= 1u << kind;
	if (kind != TM_SAMPLE_ON_CPU)
		builder->report.exported -= of->count;
	of->kind = (uint8_t)kind;
	of->state = kind == TM_SAMPLE_OFF_CPU ? TM_THREAD_IO_WAIT : TM_THREAD_ON_CPU;
	of->value = value;
}

void report_builder_thread(struct report_builder *builder, uint32_t process, uint32_t tid,
			   const char *comm, uint32_t threads, uint64_t lifetime_ns,
			   const uint64_t *ns)
{
	struct report_thread thread = {
		.process = process,
		.tid = tid,
		.comm = report_builder_string(builder, comm),
		.threads = threads,
		.lifetime_ns = lifetime_ns,
	};

	memcpy(thread.ns, ns, sizeof(thread.ns));
	*(struct report_thread *)grown(builder, THREADS, &builder->report.thread_count) = thread;
}

const struct report *report_builder_report(struct report_builder *builder)
{
	struct report *report = &builder->report;

	report->strings = (const char *const *)builder->arrays[STRINGS];
	report->files = builder->arrays[FILES];
	report->segments = builder->arrays[SEGMENTS];
	report->calls = builder->arrays[CALLS];
	report->frames = builder->arrays[FRAMES];
	report->stack_frames = builder->arrays[STACK_FRAMES];
	report->stacks = builder->arrays[STACKS];
	report->processes = builder->arrays[PROCESSES];
	if (report_processes_number(builder->arrays[PROCESSES], report->process_count) < 0)
		exit(1);
	report->samples = builder->arrays[SAMPLES];
	report->threads = builder->arrays[THREADS];
	report->taken = report->exported;
	for (unsigned i = 0; i < TM_DROP_N; i++)
		report->taken += report->drops[i];
	report->frames_shown = 0;
	report->unnamed_frames = 0;
	memset(report->sums, 0, sizeof(report->sums));
	for (uint32_t i = 0; i < report->sample_count; i++) {
		const struct report_stack *stack = &report->stacks[report->samples[i].stack];

		if (report->samples[i].flags & REPORT_SAMPLE_BASE)
			continue;
		sample_sum_add(&report->sums[report->samples[i].kind], report->samples[i].count,
			       report->samples[i].value);
		report->frames_shown += report->samples[i].count * stack->count;
		for (uint32_t j = 0; j < stack->count; j++)
			report->unnamed_frames +=
				report->frames[report->stack_frames[stack->first + j]].unnamed *
				report->samples[i].count;
	}
	return report;
}
