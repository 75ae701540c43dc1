/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report_stacks - the stacks of a report, without frames of what took them or runs their functions
 *
 * An off-CPU stack is taken below the scheduler: its leaf is our program, and up to `__schedule`
 * every frame is the way from there to it. These frames are not shown. They are found by name,
 * among the first REPORT_STACKS_HOOK_MAX kernel frames; where `__schedule` is not among these, all
 * are shown. A stack that both kinds share is two stacks of the report, in the same array of
 * frames.
 *
 * Behind the functions of CPython stands the frame of the interpreter's loop that runs them. It is
 * not shown, unless the names say otherwise (name_table.runtime_internals). Methods of Java have no
 * such frame.
 */

#include "symbolizer/output/report.h"
#include "symbolizer/output/report_frames.h"

#define REPORT_STACKS_HOOK_MAX 8u

struct report_stacks {
	struct report_stack *items;
	uint32_t *frames;  /* leaf first */
	uint32_t *off_cpu; /* of each stack of the aggregate: that of its off-CPU samples */
	uint32_t count, frame_count;
};

/* Whether frame @at of a stack is that of such a loop, and is not shown. */
bool report_stacks_hide(const struct report_frames *frames, const struct aggregate_stack *stack,
			uint32_t at);

/* Return: 0, -ENOMEM. Call report_stacks_deinit either way. */
int report_stacks_init(struct report_stacks *stacks, const struct aggregate *aggregate,
		       struct report_frames *frames);
void report_stacks_deinit(struct report_stacks *stacks);
