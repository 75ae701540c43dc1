/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report_build - the finished report from what was aggregated and named
 *
 * Limits     BUDGET_REPORT_BYTES on top of the profile's budget; frames beyond them share one frame named
 *            [memory], so that no sample is lost at the end.
 */

#include "symbolizer/output/report_frames.h"
#include "symbolizer/output/report.h"

#define BUDGET_REPORT_BYTES (256ull << 20)

struct build {
	struct report report; /* points into what follows */
	struct frame_table frames;
	uint32_t *stack_frames;
	struct report_stack *stacks;
	struct report_process *processes;
	struct report_sample *samples;
};

/* Return: 0, -ENOMEM. Borrows all arguments until build_deinit. */
int build_report(struct build *build, const struct aggregate *aggregate, const struct names *names,
		 const struct kernel *kernel);
void build_deinit(struct build *build);
