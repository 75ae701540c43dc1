/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report_build - builds the report from the aggregated samples and the names
 *
 * Limits     what a closed interval may take (interval.h); frames beyond that share one frame named
 *            [memory], so that no sample is lost at the end.
 */

#include "symbolizer/output/report.h"
#include "symbolizer/output/report_wakers.h"
#include "symbolizer/profile/thread_rows.h"

struct report_build {
	struct report report; /* points into what follows */
	struct report_frames frames;
	uint32_t *numbers; /* generation -> report process + 1; 0: has no sample */
	struct report_stacks stacks;
	struct report_wakers wakers;
	struct report_process *processes;
	struct report_sample *samples;
	struct report_thread *threads;
};

/* Return: 0, -ENOMEM. Borrows all arguments until report_build_deinit. */
int report_build_init(struct report_build *build, const struct aggregate *aggregate,
		      const struct name_table *names, const struct ksyms *kernel);
/* Adds how threads spent the interval. Return: 0, -ENOMEM. */
int report_build_threads(struct report_build *build, const struct thread_rows *rows);
void report_build_deinit(struct report_build *build);
