/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * stack_order - sorts the stacks of a report by the classes that a writer gives their calls
 *
 * Two calls may be the same to a writer (one function at two addresses, two names that become
 * one text). The writer gives each call a class. Stacks with the same classes get the same rank,
 * and ranks follow the order of the classes from the root, so that neighbours share their root.
 */

#include <stdint.h>

#include "symbolizer/output/report.h"

/* classes: one per call. Return: one rank per stack (free it), or NULL without memory. */
uint32_t *stack_order_new(const struct report *report, const uint32_t *classes);

/* All calls of a stack from the root: of each frame first the outermost, then what it inlines. */
struct stack_walk {
	const struct report *report;
	const uint32_t *frames; /* leaf first; from here `frames_left` are still to come */
	uint32_t frames_left;
	uint32_t first_call; /* of the frame that the walk is in */
	uint32_t calls_left; /* of it */
};
#define STACK_WALK_END 0xffffffffu

static inline struct stack_walk stack_walk_start(const struct report *report,
						 const struct report_stack *stack)
{
	return (struct stack_walk){
		.report = report,
		.frames = report->stack_frames + stack->first,
		.frames_left = stack->count,
	};
}

/* The next call, or STACK_WALK_END. */
static inline uint32_t stack_walk_next(struct stack_walk *walk)
{
	if (walk->calls_left == 0) {
		const struct report_frame *frame;

		if (walk->frames_left == 0)
			return STACK_WALK_END;
		frame = &walk->report->frames[walk->frames[--walk->frames_left]];
		walk->first_call = frame->first_call;
		walk->calls_left = frame->call_count;
	}
	return walk->first_call + --walk->calls_left;
}
