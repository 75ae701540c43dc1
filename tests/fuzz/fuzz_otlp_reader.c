/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_otlp_reader - requests of OTLP as a hostile file holds them: what is taken over is a report
 * as its writers expect it, and what does not check leaves no sample
 */

#include <stdlib.h>
#include <string.h>

#include "shared/utf8.h"
#include "symbolizer/viewer/inflate.h"
#include "symbolizer/viewer/merge_report.h"
#include "tests/fuzz/fuzz.h"

#define MEMORY   (64u << 20)
#define MOST     (1u << 20) /* of what is inflated */
#define CLEAN_AT 5000u      /* of a string that is cleaned once more */

static struct otlp_reader reader; /* large */
static struct report report, base;

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check_strings(void)
{
	static char again[TM_UTF8_CLEAN_BYTES(CLEAN_AT)];

	for (uint32_t i = 0; i < report.string_count; i++) {
		const char *text = report.strings[i];
		size_t length = strlen(text);

		if (length < CLEAN_AT)
			require(tm_utf8_clean(text, length, again, sizeof(again)) == length &&
				memcmp(again, text, length) == 0);
	}
}

static void check_files(void)
{
	for (uint32_t i = 0; i < report.file_count; i++) {
		const struct report_file *file = &report.files[i];

		require(file->path < report.string_count && file->base < report.string_count &&
			file->build_id < report.string_count);
		require(file->segment_count <= report.segment_count &&
			file->first_segment <= report.segment_count - file->segment_count);
	}
	for (uint32_t i = 0; i < report.segment_count; i++)
		require(report.segments[i].bytes > 0);
}

static void check_frames(void)
{
	for (uint32_t i = 0; i < report.frame_count; i++) {
		const struct report_frame *frame = &report.frames[i];

		require(frame->call_count > 0 && frame->call_count <= report.call_count &&
			frame->first_call <= report.call_count - frame->call_count);
		require(frame->file == REPORT_NO_FILE || frame->file < report.file_count);
		require(frame->segment == REPORT_NO_SEGMENT ||
			frame->segment < report.segment_count);
		require(frame->process == REPORT_NO_PROCESS ||
			frame->process < report.process_count);
		require(frame->kind <= REPORT_UNRESOLVED);
	}
	for (uint32_t i = 0; i < report.call_count; i++)
		require(report.calls[i].name < report.string_count &&
			report.calls[i].system_name < report.string_count &&
			report.calls[i].path < report.string_count);
	for (uint32_t i = 0; i < report.stack_frame_count; i++)
		require(report.stack_frames[i] < report.frame_count);
}

static void check_samples(void)
{
	for (uint32_t i = 0; i < report.stack_count; i++)
		require(report.stacks[i].count <= report.stack_frame_count &&
			report.stacks[i].first <=
				report.stack_frame_count - report.stacks[i].count);
	for (uint32_t i = 0; i < report.sample_count; i++) {
		const struct report_sample *sample = &report.samples[i];

		require(sample->process < report.process_count &&
			sample->comm < report.string_count && sample->stack < report.stack_count);
		require(sample->stop < TM_STOP_N && sample->kind < TM_SAMPLE_KINDS_N &&
			sample->state < TM_THREAD_STATES_N);
		require(sample->value <= SAMPLE_VALUE_MAX);
	}
	for (uint32_t i = 0; i < report.process_count; i++) {
		const struct report_process *process = &report.processes[i];

		require(process->comm < report.string_count && process->exe < report.string_count &&
			process->cgroup < report.string_count &&
			process->container < report.string_count &&
			process->pod < report.string_count);
	}
}

/* Once plain, once as what it inflates to. */
static int read_once(const uint8_t *data, size_t bytes, struct bytes *inflated)
{
	if (bytes > 0 && data[0] == 0x1f) {
		if (inflate_gzip(data, bytes, MOST, inflated))
			return OTLP_BODY_E_INVALID;
		require(inflated->count <= MOST);
		return otlp_reader_read(&reader, inflated->items, inflated->count);
	}
	return otlp_reader_read(&reader, data, bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const struct selection everything;
	struct budget budget = {.limit = MEMORY};
	struct bytes inflated = {.budget = &budget};
	struct merge merge;

	if (merge_init(&merge, &budget))
		abort();
	otlp_reader_init(&reader, &merge, &everything);
	if (read_once(data, bytes, &inflated)) {
		require(reader.reports[0].taken == 0 && reader.counts[0].reports == 0);
		require(merge.intervals.count == 0);
	}
	if (merge_report_make(&reader, /* compare= */ false, &report, &base) == 0) {
		check_strings();
		check_files();
		check_frames();
		check_samples();
	}
	merge_report_deinit(&merge, &report);
	otlp_reader_deinit(&reader);
	merge_deinit(&merge);
	bytes_deinit(&inflated);
	require(budget.used == 0);
	return 0;
}
