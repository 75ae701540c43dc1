/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_need_write - how much memory the writers of a report take at most
 */

#include "symbolizer/output/report_need_write.h"

#include "symbolizer/output/html_tree.h"
#include "symbolizer/output/output_file.h"

#define FIXED_BYTES     (OUTPUT_FILE_BUFFER_BYTES + (512u << 10)) /* buffers; zlib; small arrays */
#define SORT_BYTES      (2 * sizeof(uint32_t))                    /* of sort_new, an item */

#define TABLE_ROW_BYTES 48 /* of table.c */

/* Of functions.c, while it sorts, and its classes of calls. */
static uint64_t functions_bytes(const struct report *report)
{
	return (sizeof(struct function) + 3 * sizeof(uint32_t) + SORT_BYTES) *
	       ((uint64_t)report->call_count + 1);
}

/* Of stack_order.c. */
static uint64_t ranks_bytes(const struct report *report)
{
	return (sizeof(uint32_t) + SORT_BYTES) * ((uint64_t)report->stack_count + 1);
}

/* Without its nodes. */
static uint64_t html_bytes(const struct report *report)
{
	return functions_bytes(report) + ranks_bytes(report) +
	       (sizeof(struct html_tree_thread) + sizeof(struct html_tree_sample) +
		sizeof(uint32_t) + 2 * SORT_BYTES) *
		       ((uint64_t)report->sample_count + 1);
}

static uint64_t folded_bytes(const struct report *report)
{
	return ranks_bytes(report) +
	       (sizeof(uint32_t) + SORT_BYTES) * ((uint64_t)report->string_count + 1) +
	       (2 * sizeof(uint32_t) + SORT_BYTES) * ((uint64_t)report->call_count + 1) +
	       SORT_BYTES * ((uint64_t)report->sample_count + 1);
}

static uint64_t speedscope_bytes(const struct report *report)
{
	return functions_bytes(report) +
	       TM_SAMPLE_KINDS_N * sizeof(uint64_t) * ((uint64_t)report->process_count + 1) +
	       SORT_BYTES * ((uint64_t)report->sample_count + 1);
}

/* Its rows, of functions and processes, and how they are numbered. */
static uint64_t table_bytes(const struct report *report)
{
	return functions_bytes(report) +
	       (TABLE_ROW_BYTES + SORT_BYTES) * ((uint64_t)report->call_count + 1) +
	       (TABLE_ROW_BYTES + sizeof(uint32_t) + 2 * SORT_BYTES) *
		       ((uint64_t)report->process_count + 1);
}

/* Of its samples' order, and of report_shares and report_bytes; the rest is charged as it grows. */
static uint64_t otlp_bytes(const struct report *report)
{
	return SORT_BYTES * ((uint64_t)report->sample_count + 1) +
	       (sizeof(uint64_t) + 1 + SORT_BYTES) * ((uint64_t)report->process_count + 1) +
	       report->stack_count + report->frame_count + report->string_count;
}

uint64_t report_need_write(const struct report *report, enum outputs_format format)
{
	/* What functions_top adds to functions. */
	uint64_t top = functions_bytes(report) + 32 * ((uint64_t)report->call_count + 1);
	uint64_t bytes = 0;

	if (format == OUTPUTS_HTML)
		bytes = html_bytes(report);
	else if (format == OUTPUTS_PPROF)
		bytes = pprof_need(report);
	else if (format == OUTPUTS_FOLDED)
		bytes = folded_bytes(report);
	else if (format == OUTPUTS_SPEEDSCOPE)
		bytes = speedscope_bytes(report);
	else if (format == OUTPUTS_OTLP)
		bytes = otlp_bytes(report);
	else if (format == OUTPUTS_TABLE)
		bytes = table_bytes(report);
	return FIXED_BYTES + (bytes > top ? bytes : top);
}
