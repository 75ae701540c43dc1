/* SPDX-License-Identifier: Apache-2.0 */
/* functions - the frames of a report with their addresses left out */

#include "symbolizer/output/functions.h"

#include <errno.h>
#include <stdlib.h>

#include "shared/cleanup.h"
#include "symbolizer/base/sort.h"

static int compare_frames(uint32_t a, uint32_t b, const void *context)
{
	const struct report *report = context;
	const struct report_frame *left = &report->frames[a];
	const struct report_frame *right = &report->frames[b];
	int order = sort_by_number(left->name, right->name);

	if (order == 0)
		order = sort_by_number(left->file, right->file);
	return order != 0 ? order : sort_by_number(left->kind, right->kind);
}

int functions_init(struct functions *functions, const struct report *report)
{
	size_t bytes = sizeof(uint32_t) * ((size_t)report->frame_count + 1);
	_cleanup_(tm_freep) uint32_t *order = sort_new(report->frame_count, compare_frames, report);

	*functions = (struct functions){.of_frame = malloc(bytes), .example = malloc(bytes)};
	if (!order || !functions->of_frame || !functions->example) {
		functions_deinit(functions);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < report->frame_count; i++) {
		if (i == 0 || compare_frames(order[i - 1], order[i], report) != 0)
			functions->example[functions->count++] = order[i];
		functions->of_frame[order[i]] = functions->count - 1;
	}
	return 0;
}

void functions_deinit(struct functions *functions)
{
	free(functions->of_frame);
	free(functions->example);
	*functions = (struct functions){0};
}
