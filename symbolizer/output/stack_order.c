/* SPDX-License-Identifier: Apache-2.0 */
/* stack_order - sorts the stacks of a report by the classes that a writer gives their calls */

#include "symbolizer/output/stack_order.h"

#include <stdlib.h>

#include "shared/cleanup.h"
#include "symbolizer/base/sort.h"

struct view {
	const struct report *report;
	const uint32_t *classes;
};

static int compare_stacks(uint32_t a, uint32_t b, const void *context)
{
	const struct view *view = context;
	const struct report *report = view->report;
	struct stack_walk left = stack_walk_start(report, &report->stacks[a]);
	struct stack_walk right = stack_walk_start(report, &report->stacks[b]);

	for (;;) {
		uint32_t x = stack_walk_next(&left), y = stack_walk_next(&right);

		if (x == STACK_WALK_END || y == STACK_WALK_END)
			return sort_by_number(x != STACK_WALK_END, y != STACK_WALK_END);
		if (view->classes[x] != view->classes[y])
			return view->classes[x] < view->classes[y] ? -1 : 1;
	}
}

uint32_t *stack_order_new(const struct report *report, const uint32_t *classes)
{
	const struct view view = {.report = report, .classes = classes};
	_cleanup_(tm_freep) uint32_t *order = sort_new(report->stack_count, compare_stacks, &view);
	_cleanup_(tm_freep) uint32_t *ranks =
		malloc(sizeof(*ranks) * ((size_t)report->stack_count + 1));
	uint32_t rank = 0;

	if (!order || !ranks)
		return NULL;
	for (uint32_t i = 0; i < report->stack_count; i++) {
		if (i > 0 && compare_stacks(order[i - 1], order[i], &view) != 0)
			rank++;
		ranks[order[i]] = rank;
	}
	return TM_TAKE_PTR(ranks);
}
