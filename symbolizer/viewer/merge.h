/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * merge - many reports as one: equal processes, frames, stacks and samples are one and add up
 *
 * Equal      a process by its generation, a file by path, build id and state, a frame by place and
 *            calls, a stack by its frames, a sample by all but count and value.
 * Memory     within the budget; BUDGET_E_SPENT leaves everything consistent.
 * Sides      of a comparison: two sets of samples share all that they refer to.
 * Numbers    that the functions get are those that they have given out.
 */

#include "symbolizer/base/strings.h"
#include "symbolizer/output/report.h"

#define MERGE_CALLS_MAX  256u   /* of a frame */
#define MERGE_FRAMES_MAX 65536u /* of a stack */

struct merge_table { /* items that are there once each */
	void *items;
	uint32_t count, capacity;
	struct hash_index lookup;
};

struct merge_segment {
	uint32_t file;
	uint32_t pad;
	struct report_segment place;
};

struct merge_process {
	uint64_t start_boottime; /* these three tell generations apart */
	uint32_t tgid;
	uint32_t exec_id;
	struct report_process process;
};

struct merge_interval { /* of a report */
	uint64_t start_unix_ns, duration_ns;
	uint32_t text; /* string: its counts */
	uint32_t side;
};

struct merge_id { /* of a profile that was read */
	uint8_t bytes[16];
	uint32_t side;
};

struct merge {
	struct budget *budget; /* borrowed */
	struct hash_seed seed;
	struct strings strings;
	struct merge_table files, segments, frames, stacks, processes, samples, intervals, ids;
	struct report_call *calls;
	uint32_t *stack_frames;
	uint32_t call_count, call_capacity, stack_frame_count, stack_frame_capacity;
};

/* Return: 0, BUDGET_E_SPENT, -errno. Call merge_deinit either way. */
int merge_init(struct merge *merge, struct budget *budget);
void merge_deinit(struct merge *merge);

/* Each finds or adds one. Return: 0, BUDGET_E_SPENT. */
int merge_file(struct merge *merge, const struct report_file *file, uint32_t *ret_file);
int merge_segment(struct merge *merge, uint32_t file, const struct report_segment *segment,
		  uint32_t *ret_segment);
/* @calls: of the frame, at most MERGE_CALLS_MAX; its segment is one of merge_segment. */
int merge_frame(struct merge *merge, const struct report_frame *frame,
		const struct report_call *calls, uint32_t *ret_frame);
int merge_stack(struct merge *merge, const uint32_t *frames, uint32_t count, uint32_t *ret_stack);
/* What is said of a generation last holds; what is not said does not change it. */
int merge_process(struct merge *merge, const struct report_process *process, uint32_t *ret_process);
/* Adds the sample up. */
int merge_sample(struct merge *merge, const struct report_sample *sample);
/* @ret_new: it was not there before. */
int merge_interval(struct merge *merge, const struct merge_interval *interval, bool *ret_new);
bool merge_has_id(const struct merge *merge, const struct merge_id *id);
int merge_id(struct merge *merge, const struct merge_id *id);
