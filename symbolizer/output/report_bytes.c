/* SPDX-License-Identifier: Apache-2.0 */
/* report_bytes - about how many bytes of a request of OTLP each process of a report brings */

#include "symbolizer/output/report_bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shared/cleanup.h"

/* Of the messages of otlp.proto with common numbers in them, without texts. */
#define PROCESS_BYTES 400u /* a resource with its attributes, and a profile */
#define SAMPLE_BYTES  32u
#define STACK_BYTES   6u
#define INDEX_BYTES   2u /* of a frame in a stack */
#define FRAME_BYTES   16u
#define CALL_BYTES    20u /* a line and its function */
#define TEXT_BYTES    2u

struct counting {
	const struct report *report;
	uint8_t *stacks, *frames, *strings; /* whether they were counted, of each */
};

static bool is_first(uint8_t *counted, uint32_t index)
{
	const bool first = !counted[index];

	counted[index] = true;
	return first;
}

static uint64_t text_bytes(const struct counting *counting, uint32_t string)
{
	if (!is_first(counting->strings, string))
		return 0;
	return TEXT_BYTES + strlen(counting->report->strings[string]);
}

static uint64_t frame_bytes(const struct counting *counting, uint32_t number)
{
	const struct report_frame *frame = &counting->report->frames[number];
	uint64_t bytes = FRAME_BYTES;

	if (!is_first(counting->frames, number))
		return 0;
	for (uint32_t i = 0; i < frame->call_count; i++) {
		const struct report_call *call = &counting->report->calls[frame->first_call + i];

		bytes += CALL_BYTES + text_bytes(counting, call->name) +
			 text_bytes(counting, call->system_name) + text_bytes(counting, call->path);
	}
	if (frame->file != REPORT_NO_FILE)
		bytes += text_bytes(counting, counting->report->files[frame->file].path);
	return bytes;
}

static uint64_t stack_bytes(const struct counting *counting, uint32_t number)
{
	const struct report_stack *stack = &counting->report->stacks[number];
	uint64_t bytes = STACK_BYTES + INDEX_BYTES * (uint64_t)stack->count;

	if (!is_first(counting->stacks, number))
		return 0;
	for (uint32_t i = 0; i < stack->count; i++)
		bytes += frame_bytes(counting, counting->report->stack_frames[stack->first + i]);
	return bytes;
}

static uint64_t process_bytes(const struct counting *counting, uint32_t number)
{
	const struct report_process *process = &counting->report->processes[number];

	return PROCESS_BYTES + text_bytes(counting, process->comm) +
	       text_bytes(counting, process->exe) + text_bytes(counting, process->cgroup) +
	       text_bytes(counting, process->context);
}

static void count(const struct counting *counting, uint64_t *bytes)
{
	const struct report *report = counting->report;

	for (uint32_t i = 0; i < report->sample_count; i++) {
		const struct report_sample *sample = &report->samples[i];
		uint64_t *of = &bytes[sample->process];

		if (*of == 0)
			*of = process_bytes(counting, sample->process);
		*of += SAMPLE_BYTES + text_bytes(counting, sample->comm) +
		       stack_bytes(counting, sample->stack);
	}
}

int report_bytes_of_processes(const struct report *report, uint64_t *ret_bytes)
{
	_cleanup_(tm_freep) void *stacks = calloc(report->stack_count + 1u, 1);
	_cleanup_(tm_freep) void *frames = calloc(report->frame_count + 1u, 1);
	_cleanup_(tm_freep) void *strings = calloc(report->string_count + 1u, 1);
	const struct counting counting = {report, stacks, frames, strings};

	memset(ret_bytes, 0, report->process_count * sizeof(*ret_bytes));
	if (!stacks || !frames || !strings)
		return -ENOMEM;
	count(&counting, ret_bytes);
	return 0;
}
