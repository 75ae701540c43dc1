/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_stacks - the stacks of a report, without frames of what took them or runs their functions
 */

#include "symbolizer/output/report_stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shared/runtime.h"
#include "symbolizer/output/report_method.h"

#define SCHEDULE "__schedule"

/* Whether it is that function, or a part or clone of it: `__schedule.isra.0`. */
static bool is_schedule(const struct ksyms *kernel, uint64_t word)
{
	const char *symbol = ksyms_frame(kernel, word);
	const size_t length = sizeof(SCHEDULE) - 1;

	return strncmp(symbol, SCHEDULE, length) == 0 &&
	       (symbol[length] == '\0' || symbol[length] == '.');
}

/* Return: how many frames at the leaf are the hook. */
static uint32_t hook_frames(const struct ksyms *kernel, const struct aggregate_stack *stack)
{
	for (uint32_t i = 0; i < stack->count && i < REPORT_STACKS_HOOK_MAX; i++) {
		if (stack->frames[i] >> TM_FRAME_KIND_SHIFT != TM_FRAME_KERNEL)
			return 0;
		if (is_schedule(kernel, stack->frames[i]))
			return i + 1;
	}
	return 0;
}

static bool is_java(const struct report_frames *frames, uint64_t word)
{
	const struct method *method = methods_find(frames->methods, methods_number(word));

	return report_method_runtime(method, word) == TM_RUNTIME_JAVA;
}

bool report_stacks_hide(const struct report_frames *frames, const struct aggregate_stack *stack,
			uint32_t at)
{
	return at > 0 && stack->frames[at] >> TM_FRAME_KIND_SHIFT == TM_FRAME_FILE &&
	       stack->frames[at - 1] >> TM_FRAME_KIND_SHIFT == TM_FRAME_METHOD &&
	       !frames->files.names->runtime_internals && !is_java(frames, stack->frames[at - 1]);
}

/* @kinds: of the samples that have it, as bits. */
static void add_stack(struct report_stacks *stacks, const struct aggregate_stack *stack,
		      uint32_t index, uint32_t kinds, struct report_frames *frames)
{
	const uint32_t begin = stacks->frame_count;
	uint32_t hook = 0, first = 0;

	if (kinds >> TM_SAMPLE_OFF_CPU & 1)
		hook = hook_frames(frames->files.kernel, stack);
	if (!(kinds >> TM_SAMPLE_ON_CPU & 1))
		first = hook;
	for (uint32_t f = first; f < stack->count; f++)
		if (!report_stacks_hide(frames, stack, f))
			stacks->frames[stacks->frame_count++] =
				report_frames_of(frames, stack->frames[f], stack->process);
	stacks->items[index] = (struct report_stack){begin, stacks->frame_count - begin};
	stacks->off_cpu[index] = index;
	if (hook != first) {
		stacks->off_cpu[index] = stacks->count;
		stacks->items[stacks->count++] = (struct report_stack){
			begin + hook,
			stacks->frame_count - begin - hook,
		};
	}
}

int report_stacks_init(struct report_stacks *stacks, const struct aggregate *aggregate,
		       struct report_frames *frames)
{
	const size_t count = aggregate->stack_count;

	*stacks = (struct report_stacks){
		.items = calloc(2 * count + 1, sizeof(*stacks->items)),
		.frames = calloc(aggregate->frame_count + 1, sizeof(*stacks->frames)),
		.off_cpu = calloc(count + 1, sizeof(*stacks->off_cpu)),
		.count = aggregate->stack_count,
	};
	if (!stacks->items || !stacks->frames || !stacks->off_cpu)
		return -ENOMEM;
	/* First the kinds of each stack's samples. */
	for (uint32_t i = 0; i < aggregate->sample_count; i++)
		stacks->off_cpu[aggregate->samples[i].stack] |= 1u << aggregate->samples[i].kind;
	for (uint32_t i = 0; i < aggregate->stack_count; i++)
		add_stack(stacks, &aggregate->stacks[i], i, stacks->off_cpu[i], frames);
	return 0;
}

void report_stacks_deinit(struct report_stacks *stacks)
{
	free(stacks->items);
	free(stacks->frames);
	free(stacks->off_cpu);
	*stacks = (struct report_stacks){0};
}
