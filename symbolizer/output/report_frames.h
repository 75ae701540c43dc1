/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report_frames - turns encoded frames into the frames and files of the report
 *
 * Display    a file's frame is its symbol or basename+0xoffset, the vDSO's its symbol or
 *            [vdso]+0xoffset, the kernel's its symbol or [module]+0xoffset; what has no mapping is
 *            its [reason]. The offset shown is the frame's own.
 */

#include "symbolizer/names/ksyms.h"
#include "symbolizer/names/name_table.h"
#include "symbolizer/output/report.h"

struct report_frames_entry {
	uint64_t encoded;
	uint32_t frame;
};

struct report_frames {
	struct report_frame *frames;
	struct report_file *files;
	struct report_frames_entry *entries; /* every distinct encoded frame */
	uint32_t *file_of_index;             /* files.c index -> report file + 1 */
	uint32_t *file_of_module;            /* kernel module -> report file + 1 */
	uint32_t frame_count, frame_capacity;
	uint32_t file_count, file_capacity;
	uint32_t entry_count, entry_capacity;
	uint32_t index_capacity, module_capacity;
	uint32_t vdso_file; /* report file + 1 */
	uint32_t overflow;  /* frame + 1, once the budget is spent */
	uint32_t overflow_name;
	struct hash_index frame_lookup;
	struct hash_index entry_lookup;
	const struct files *source; /* borrowed, as are the next three */
	const struct name_table *names;
	const struct ksyms *kernel;
	struct strings *strings;
};

/* Return: 0, BUDGET_E_SPENT. */
int report_frames_init(struct report_frames *table, const struct files *files,
		       const struct name_table *names, const struct ksyms *kernel,
		       struct strings *strings);
void report_frames_deinit(struct report_frames *table);
/* The report's frame of a checked, encoded one; [memory] when the budget is spent. */
uint32_t report_frames_of(struct report_frames *table, uint64_t encoded);
