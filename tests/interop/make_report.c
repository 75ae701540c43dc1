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
#include "shared/runtime.h"
#include "symbolizer/output/otlp.h"
#include "symbolizer/output/output_file.h"
#include "tests/interop/report_builder.h"

/* {"name": "text" */
static void write_text(struct output_file *out, const char *name, const char *text)
{
	output_file_format(out, "\"%s\":", name);
	output_file_json_string(out, text);
	output_file_text(out, ",");
}

/* As OTLP names it. */
static const char *runtime_of(const struct report_frame *frame)
{
	if (frame->kind != REPORT_RUNTIME)
		return "";
	return frame->runtime == TM_RUNTIME_JAVA ? "jvm" : "cpython";
}

static void write_call(struct output_file *out, const struct report *report,
		       const struct report_frame *frame, uint32_t index)
{
	const struct report_call *call = &report->calls[frame->first_call + index];
	const struct report_file none = {0};
	const struct report_file *file =
		frame->file == REPORT_NO_FILE ? &none : &report->files[frame->file];

	output_file_text(out, frame->first_call + index ? ",\n{" : "{");
	write_text(out, "name", report->strings[call->name]);
	write_text(out, "system_name", report->strings[call->system_name]);
	write_text(out, "file", report->strings[file->path]);
	write_text(out, "htlhash", report->strings[file->htlhash]);
	write_text(out, "build_id", report->strings[file->build_id]);
	write_text(out, "go_build_id", report->strings[file->go_build_id]);
	output_file_format(out, "\"unnamed\":%d,\"kernel_file\":%d,", frame->unnamed,
			   file->is_kernel);
	write_text(out, "runtime", runtime_of(frame));
	write_text(out, "source", report->strings[call->path]);
	output_file_format(out, "\"line\":%u,\"start_line\":%u,\"kernel\":%d,\"inlined\":%d}",
			   call->line, call->start_line, frame->kind == REPORT_KERNEL,
			   index + 1 < frame->call_count);
}

static void write_sample(struct output_file *out, const struct report *report,
			 const struct report_sample *sample)
{
	const struct report_stack *stack = &report->stacks[sample->stack];
	const struct report_process *process = &report->processes[sample->process];
	const char *separator = "";

	output_file_format(out, "{\"pid\":%u,\"tid\":%u,", process->tgid, sample->tid);
	output_file_format(out, "\"start\":%llu,\"exec_id\":%u,\"reuse\":%u,\"count\":%llu,",
			   (unsigned long long)process->start_boottime, process->exec_id,
			   process->reuse, (unsigned long long)sample->count);
	output_file_format(out, "\"kind\":%u,\"value\":%llu,", sample->kind,
			   (unsigned long long)sample->value);
	write_text(out, "state", sample->state ? tm_reasons_thread(sample->state) : "");
	write_text(out, "stop", sample->stop ? tm_reasons_stop(sample->stop) : "");
	write_text(out, "comm", report->strings[sample->comm]);
	write_text(out, "process", report->strings[process->comm]);
	write_text(out, "exe", report->strings[process->exe]);
	write_text(out, "cgroup", report->strings[process->cgroup]);
	write_text(out, "container", report->strings[process->container]);
	write_text(out, "pod", report->strings[process->pod]);
	output_file_format(out, "\"kernel_thread\":%d,", (sample->flags & TM_FLAG_KTHREAD) != 0);
	output_file_text(out, "\"stack\":[");
	for (uint32_t i = stack->count; i-- > 0;) {
		const struct report_frame *frame =
			&report->frames[report->stack_frames[stack->first + i]];

		for (uint32_t j = frame->call_count; j-- > 0; separator = ",")
			output_file_format(out, "%s%u", separator, frame->first_call + j);
	}
	output_file_text(out, "]}");
}

/* The content that every output must agree with, written without the writers' helpers. */
static int plain_write(struct output_file *out, const struct report *report)
{
	output_file_text(out, "{\"calls\":[");
	for (uint32_t i = 0; i < report->frame_count; i++)
		for (uint32_t j = 0; j < report->frames[i].call_count; j++)
			write_call(out, report, &report->frames[i], j);
	output_file_text(out, "],\n\"samples\":[");
	for (uint32_t i = 0; i < report->sample_count; i++) {
		output_file_text(out, i ? ",\n" : "\n");
		write_sample(out, report, &report->samples[i]);
	}
	output_file_text(out, "]}\n");
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

/* Parts of one sample each, or of this size where they would be too many. */
#define PARTS_MAX  500u
#define PART_BYTES (1u << 20)

static struct otlp_parts parts;

static int part_write(struct output_file *out, const struct report *report)
{
	int r = otlp_parts_write(&parts, out, /* compressed= */ false);

	return r < 0 ? r : output_file_finish(out);
}

static int write_parts(const char *directory, const struct report *report)
{
	uint64_t most = report->sample_count > PARTS_MAX ? PART_BYTES : 1;
	char name[32];
	int r = otlp_parts_init(&parts, report, NULL);

	for (unsigned i = 0; r == 0; i++) {
		(void)snprintf(name, sizeof(name), "part.%u.otlp", i);
		r = otlp_parts_next(&parts, most);
		if (r == 0)
			r = write_file(directory, name, report, part_write);
	}
	otlp_parts_deinit(&parts);
	return r == OTLP_E_END ? 0 : r;
}

/* With each way of grouping, and with a name for all services. */
static int write_resources(const char *directory, struct report_builder *builder)
{
	static const struct report_attribute attributes[] = {
		{"host.name", "testhost"}, {"deployment.environment.name", "a=b"}};
	static const char *const names[] = {"process.otlp", "container.otlp", "service.otlp",
					    "named.otlp"};
	int r = 0;

	for (unsigned i = 0; r == 0 && i < sizeof(names) / sizeof(*names); i++) {
		const struct report_resource resource = {
			.service_name = i == 3 ? "everything" : "",
			.grouping = i == 3 ? REPORT_BY_SERVICE : (enum report_grouping)i,
			.attribute_count = 2,
			.attributes = attributes,
		};

		builder->report.resource = &resource;
		r = write_file(directory, names[i], &builder->report, otlp_write);
		builder->report.resource = NULL;
	}
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
	failed |= write_file(argv[2], "out.otlp", report, otlp_write);
	failed |= write_parts(argv[2], report);
	if (report->sample_count)
		failed |= write_resources(argv[2], &builder);
	failed |= write_file(argv[2], "plain.json", report, plain_write);
	report_builder_deinit(&builder);
	return failed ? 1 : 0;
}
