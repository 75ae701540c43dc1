/* SPDX-License-Identifier: Apache-2.0 */
/* make_report - writes a report of report_cases in every format, and as plain objects to compare
 * with */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "shared/reasons.h"
#include "symbolizer/output/output_file.h"
#include "tests/interop/report_builder.h"

/* The content that every output must agree with, written without the writers' helpers. */
static int plain_write(struct output_file *out, const struct report *report)
{
	output_file_text(out, "[");
	for (uint32_t i = 0; i < report->sample_count; i++) {
		const struct report_sample *sample = &report->samples[i];
		const struct report_stack *stack = &report->stacks[sample->stack];

		output_file_format(
			out, "%s{\"pid\":%u,\"tid\":%u,\"count\":%llu,\"stop\":\"%s\",\"comm\":",
			i ? ",\n" : "\n", report->processes[sample->process].tgid, sample->tid,
			(unsigned long long)sample->count,
			sample->stop ? tm_reasons_stop(sample->stop) : "");
		output_file_json_string(out, report->strings[sample->comm]);
		output_file_text(out, ",\"process\":");
		output_file_json_string(out,
					report->strings[report->processes[sample->process].comm]);
		output_file_text(out, ",\"stack\":[");
		for (uint32_t j = stack->count; j-- > 0;) {
			const struct report_frame *frame =
				&report->frames[report->stack_frames[stack->first + j]];

			output_file_json_string(
				out, report->strings[report_outermost(report, frame)->name]);
			output_file_format(out, ",%d%s", frame->kind == REPORT_KERNEL,
					   j ? "," : "");
		}
		output_file_text(out, "]}");
	}
	output_file_text(out, "]\n");
	return output_file_finish(out);
}

static int write_file(const char *directory, const char *name, const struct report *report,
		      int (*writer)(struct output_file *out, const struct report *report))
{
	static struct output_file out;
	_cleanup_(tm_freep) char *path = NULL;
	_cleanup_(tm_closep) int fd = -1;
	int r;

	if (asprintf(&path, "%s/%s", directory, name) < 0)
		return -ENOMEM;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	output_file_init(&out, fd);
	r = writer(&out, report);
	if (r < 0)
		fprintf(stderr, "make_report: %s: %s\n", path, strerror(-r));
	return r;
}

int main(int argc, char **argv)
{
	static struct report_builder builder;
	const struct report *report;
	int failed = 0;

	if (argc != 3) {
		fputs("usage: make_report CASE DIRECTORY\n", stderr);
		return 2;
	}
	report_builder_init(&builder);
	if (report_case(&builder, argv[1]) < 0) {
		fprintf(stderr, "make_report: no case %s\n", argv[1]);
		return 2;
	}
	report = report_builder_report(&builder);
	failed |= write_file(argv[2], "out.folded", report, folded_write);
	failed |= write_file(argv[2], "out.pb.gz", report, pprof_write);
	failed |= write_file(argv[2], "out.speedscope.json", report, speedscope_write);
	failed |= write_file(argv[2], "out.html", report, html_write);
	failed |= write_file(argv[2], "plain.json", report, plain_write);
	report_builder_deinit(&builder);
	return failed ? 1 : 0;
}
