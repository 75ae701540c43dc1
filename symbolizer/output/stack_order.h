/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * stack_order - sorts the stacks of a report by the classes that a writer gives their frames
 *
 * Two frames may be the same to a writer (one function at two addresses, two names that become
 * one text). The writer gives each frame a class. Stacks with the same classes get the same rank,
 * and ranks follow the order of the classes from the root, so that neighbours share their root.
 */

#include <stdint.h>

#include "symbolizer/output/report.h"

/* classes: one per frame. Return: one rank per stack (free it), or NULL without memory. */
uint32_t *stack_order_new(const struct report *report, const uint32_t *classes);

/* The frame at a depth from the root; depth < count. */
static inline uint32_t stack_order_frame(const struct report *report,
					 const struct report_stack *stack, uint32_t depth)
{
	return report->stack_frames[stack->first + stack->count - 1 - depth];
}
