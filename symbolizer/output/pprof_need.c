/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pprof_need - how much memory a pprof message takes at most
 */

#include <string.h>

#include "symbolizer/output/pprof_message.h"
#include "symbolizer/output/report_need_write.h"

#define LABELS          6u  /* of a process */
#define LABEL_POINTERS  10u /* of a sample */
#define NAME_TEXT_BYTES 80u /* of an anonymous mapping's name, or what is added to a path */
#define POINTER         sizeof(void *)
#define SORT_BYTES      (2 * sizeof(uint32_t))

static uint64_t strings_bytes(const struct report *report)
{
	uint64_t bytes = POINTER * ((uint64_t)report->string_count + PPROF_EXTRA_N);

	for (uint32_t i = 0; i < report->file_count; i++)
		bytes += strlen(report->strings[report->files[i].path]);
	return bytes + (NAME_TEXT_BYTES + 2 * POINTER) *
			       ((uint64_t)report->file_count + report->process_count);
}

static uint64_t mappings_bytes(const struct report *report)
{
	return (sizeof(Pprof__Mapping) + 3 * POINTER) *
	       ((uint64_t)report->segment_count + report->file_count + report->process_count + 1);
}

static uint64_t places_bytes(const struct report *report)
{
	return (sizeof(Pprof__Function) + sizeof(Pprof__Line) + 3 * POINTER + sizeof(uint32_t) +
		SORT_BYTES) *
		       ((uint64_t)report->call_count + 2 * TM_STOP_N) +
	       (sizeof(Pprof__Location) + 2 * POINTER) *
		       ((uint64_t)report->frame_count + TM_STOP_N);
}

static uint64_t samples_bytes(const struct report *report)
{
	uint64_t ids = report->stack_frame_count;

	for (uint32_t i = 0; i < report->sample_count; i++)
		ids += report->samples[i].stop != TM_STOP_NONE
			       ? (uint64_t)report->stacks[report->samples[i].stack].count + 1
			       : 1;
	return sizeof(uint64_t) * ids +
	       (sizeof(Pprof__Sample) + sizeof(Pprof__Label) + (LABEL_POINTERS + 1) * POINTER +
		pprof_columns(report) * sizeof(int64_t)) *
		       (uint64_t)report->sample_count +
	       sizeof(Pprof__Label) * (LABELS * (uint64_t)report->process_count +
				       report->string_count + TM_STOP_N + TM_THREAD_STATES_N);
}

uint64_t pprof_need(const struct report *report)
{
	return sizeof(struct pprof_message) + strings_bytes(report) + mappings_bytes(report) +
	       places_bytes(report) + samples_bytes(report);
}
