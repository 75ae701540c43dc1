/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report_files - the files of the report and their executable segments
 *
 * A file is added with its first frame, and all its segments with it, so that the segments of one
 * file are neighbours.
 */

#include "symbolizer/base/ksyms.h"
#include "symbolizer/names/name_table.h"
#include "symbolizer/output/report.h"

struct report_files {
	struct report_file *items;
	struct report_segment *segments;
	uint32_t *of_index;  /* files.c index -> report file + 1 */
	uint32_t *of_module; /* kernel module -> report file + 1 */
	uint32_t count, capacity;
	uint32_t segment_count, segment_capacity;
	uint32_t index_capacity, module_capacity;
	uint32_t vdso;              /* report file + 1 */
	const struct files *source; /* borrowed, as are the next three */
	const struct name_table *names;
	const struct ksyms *kernel;
	struct strings *strings;
};

void report_files_deinit(struct report_files *files);
/* Each: Return: 0, BUDGET_E_SPENT. The file of a FILE word may be REPORT_NO_FILE. */
int report_files_of_index(struct report_files *files, uint32_t index, uint32_t *ret_file);
int report_files_of_vdso(struct report_files *files, uint32_t *ret_file);
int report_files_of_module(struct report_files *files, uint32_t module, uint32_t *ret_file);
/* The segment that holds an offset of the file, or REPORT_NO_SEGMENT. */
uint32_t report_files_segment(const struct report_files *files, uint32_t file, uint64_t offset);
