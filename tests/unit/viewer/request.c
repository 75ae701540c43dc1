/* SPDX-License-Identifier: Apache-2.0 */
/* request - makes OTLP requests of built reports, and describes what a report says, row by row */

#include "tests/unit/viewer/request.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "symbolizer/output/otlp.h"
#include "symbolizer/output/output_file.h"

static void keep_part(struct request *request, const struct otlp_parts *parts)
{
	static struct output_file out;
	_cleanup_(tm_closep) int fd = memfd_create("part", MFD_CLOEXEC);
	struct request_part *part = &request->parts[request->count++];
	struct stat status;

	assert_true(fd >= 0);
	output_file_init(&out, fd);
	assert_int_equal(otlp_parts_write(parts, &out, /* compressed= */ false), 0);
	assert_int_equal(output_file_finish(&out), 0);
	assert_int_equal(fstat(fd, &status), 0);
	part->count = (size_t)status.st_size;
	part->bytes = malloc(part->count);
	assert_non_null(part->bytes);
	assert_int_equal(pread(fd, part->bytes, part->count, 0), status.st_size);
}

void request_make(struct request *request, const struct report *report, uint64_t most)
{
	struct otlp_parts parts;
	int r;

	request->count = 0;
	assert_int_equal(otlp_parts_init(&parts, report, NULL), 0);
	while ((r = otlp_parts_next(&parts, most)) == 0) {
		assert_true(request->count < REQUEST_PARTS_MAX);
		keep_part(request, &parts);
	}
	assert_int_equal(r, OTLP_E_END);
	otlp_parts_deinit(&parts);
}

void request_free(struct request *request)
{
	while (request->count)
		free(request->parts[--request->count].bytes);
}

/* --- rows ------------------------------------------------------------------------------------- */

struct measured {
	char *text; /* of all but the sums */
	uint64_t count, value;
};

static void describe_frame(FILE *out, const struct report *report, const struct report_frame *frame)
{
	static const struct report_file no_file;
	const struct report_file *file =
		frame->file == REPORT_NO_FILE ? &no_file : &report->files[frame->file];
	/* What was not read, and the vDSO, has no mapping: no id or segment is said. */
	const bool is_mapped = file->htlhash != 0 && report->strings[file->path][0] != '[';

	(void)fprintf(out, "|%u%u%u%d %" PRIx64 " %s %s %d", frame->kind, frame->unnamed,
		      frame->is_return, frame->process != REPORT_NO_PROCESS, frame->address,
		      report->strings[file->path], is_mapped ? report->strings[file->build_id] : "",
		      file->deleted);
	if (frame->segment != REPORT_NO_SEGMENT && is_mapped)
		(void)fprintf(out, " %" PRIx64 " %" PRIx64 " %" PRIx64,
			      report->segments[frame->segment].vaddr,
			      report->segments[frame->segment].bytes,
			      report->segments[frame->segment].offset);
	for (uint32_t i = 0; i < frame->call_count; i++) {
		const struct report_call *call = &report->calls[frame->first_call + i];

		(void)fprintf(out, ";%s %s %s %u %u", report->strings[call->name],
			      report->strings[call->system_name], report->strings[call->path],
			      call->line, call->start_line);
	}
}

static char *describe_sample(const struct report *report, const struct report_sample *sample)
{
	const struct report_process *process = &report->processes[sample->process];
	const struct report_stack *stack = &report->stacks[sample->stack];
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	(void)fprintf(out, "%u %u %" PRIu64 " %u %s %s %s %s %s %u", process->tgid,
		      process->ns_tgid, process->start_boottime, process->exec_id,
		      report->strings[process->comm], report->strings[process->exe],
		      report->strings[process->cgroup], report->strings[process->container],
		      report->strings[process->pod], process->reuse);
	(void)fprintf(out, "/%u %s %u %u %u %u %u", sample->tid, report->strings[sample->comm],
		      sample->stop, sample->kind, sample->state, sample->woken, sample->flags);
	for (uint32_t i = 0; i < stack->count; i++)
		describe_frame(out, report,
			       &report->frames[report->stack_frames[stack->first + i]]);
	(void)fclose(out);
	return text;
}

static int compare_measured(const void *a, const void *b)
{
	return strcmp(((const struct measured *)a)->text, ((const struct measured *)b)->text);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void request_describe(struct request_rows *rows, const struct report *report)
{
	struct measured *all = calloc((size_t)report->sample_count + 1, sizeof(*all));

	assert_non_null(all);
	for (uint32_t i = 0; i < report->sample_count; i++)
		all[i] = (struct measured){describe_sample(report, &report->samples[i]),
					   report->samples[i].count, report->samples[i].value};
	qsort(all, report->sample_count, sizeof(*all), compare_measured);
	rows->items = calloc((size_t)report->sample_count + 1, sizeof(*rows->items));
	rows->count = 0;
	assert_non_null(rows->items);
	for (uint32_t i = 0, next; i < report->sample_count; i = next) {
		for (next = i + 1;
		     next < report->sample_count && strcmp(all[i].text, all[next].text) == 0;
		     next++) {
			all[i].count += all[next].count;
			all[i].value += all[next].value;
			free(all[next].text);
		}
		assert_true(asprintf(&rows->items[rows->count++], "%s = %" PRIu64 " %" PRIu64,
				     all[i].text, all[i].count, all[i].value) > 0);
		free(all[i].text);
	}
	qsort(rows->items, rows->count, sizeof(*rows->items), compare_texts);
	free(all);
}

void request_rows_free(struct request_rows *rows)
{
	while (rows->count)
		free(rows->items[--rows->count]);
	free(rows->items);
}

void request_assert_same(const struct request_rows *wanted, const struct request_rows *found)
{
	for (size_t i = 0; i < wanted->count && i < found->count; i++)
		assert_string_equal(found->items[i], wanted->items[i]);
	assert_int_equal(found->count, wanted->count);
}
