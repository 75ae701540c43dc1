/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main - tidemark-viewer: makes one picture of many reports that were kept, sandboxed
 */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "shared/control.h"
#include "shared/fdpass.h"
#include "shared/sandbox.h"
#include "symbolizer/output/functions.h"
#include "symbolizer/output/report_need_write.h"
#include "symbolizer/viewer/merge_report.h"
#include "symbolizer/viewer/options.h"
#include "symbolizer/viewer/sources.h"
#include "viewer_filter.h"

#define ADDRESS_SPACE_BYTES (6ul << 30)

struct viewer {
	struct options options;
	struct budget budget;
	struct merge merge;
	struct otlp_reader reader;
	struct sources sources;
	struct report report, base;
};

/* write(2) to a pipe that nobody reads, or a file that is too large, returns the error. */
static void ignore_signals(void)
{
	static const int signals[] = {SIGINT, SIGQUIT, SIGHUP, SIGPIPE, SIGTSTP, SIGXFSZ};
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		(void)sigaction(signals[i], &ignore, NULL);
}

static int fail(const struct options *options, enum tm_failure failure, const char *what, int r)
{
	struct tm_control_failure message = {0};

	(void)tm_control_failure_check(&message, (int)failure, r, what);
	(void)tm_control_failed(options->control_fd, &message);
	return 1;
}

static int read_inputs(struct viewer *viewer)
{
	struct options *options = &viewer->options;
	int r = 0;

	sources_mark_last(options->inputs, options->input_count);
	for (unsigned i = 0; r == 0 && i < options->input_count; i++)
		r = sources_read(&viewer->sources, &options->inputs[i],
				 &options->windows[options->inputs[i].side]);
	return r ? -ENOMEM : 0;
}

/* --- what was found --------------------------------------------------------------------------- */

/* Samples that the reports count and that were in no request. */
static uint64_t missing(const struct otlp_reader *reader, unsigned side)
{
	const struct report *report = &reader->reports[side];
	const struct sample_sum *read = reader->counts[side].read;
	uint64_t all = report->exported + report->off_cpu.exported;
	uint64_t found = read[TM_SAMPLE_ON_CPU].count + read[TM_SAMPLE_OFF_CPU].count;

	return all > found ? all - found : 0;
}

static void fill_side(const struct viewer *viewer, unsigned side, struct tm_view_side *result)
{
	const struct otlp_reader_counts *counts = &viewer->reader.counts[side];

	result->reports = counts->reports;
	(void)merge_report_span(&viewer->merge, side, &result->start_unix_ns, &result->end_unix_ns,
				&result->covered_ns);
	result->available_start = viewer->sources.available[side].from_unix_ns;
	result->available_end = viewer->sources.available[side].to_unix_ns;
	result->samples = counts->selected[TM_SAMPLE_ON_CPU].count;
	result->ns = counts->selected[TM_SAMPLE_ON_CPU].value;
	result->waits = counts->selected[TM_SAMPLE_OFF_CPU].count;
	result->wait_ns = counts->selected[TM_SAMPLE_OFF_CPU].value;
	result->missing = missing(&viewer->reader, side);
}

static void send_result(const struct viewer *viewer)
{
	struct tm_control message = {.kind = TM_CONTROL_RESULT};
	struct tm_view_result *result = tm_view_result(&message);

	for (unsigned side = 0; side < TM_VIEW_SIDES; side++) {
		fill_side(viewer, side, &result->sides[side]);
		result->again += viewer->reader.counts[side].again;
		result->foreign += viewer->reader.counts[side].foreign;
	}
	result->damaged = viewer->sources.damaged;
	(void)tm_control_send_message(viewer->options.control_fd, &message);
}

/* --- outputs ---------------------------------------------------------------------------------- */

static int write_output(struct viewer *viewer, enum outputs_format format, int fd)
{
	uint64_t bytes = report_need_write(&viewer->report, format);
	int r;

	if (budget_take(&viewer->budget, bytes))
		return -ENOMEM;
	r = outputs_write(format, fd, &viewer->report);
	budget_give(&viewer->budget, bytes);
	return r;
}

static void send_top(const struct viewer *viewer)
{
	struct tm_top rows[TM_TOP_ROWS];
	int count = functions_top(&viewer->report, rows);

	for (int i = 0; i < count; i++) {
		struct tm_control message = {.kind = TM_CONTROL_TOP};

		*tm_result_top(&message) = rows[i];
		(void)tm_control_send_message(viewer->options.control_fd, &message);
	}
}

static int write_outputs(struct viewer *viewer)
{
	const struct options *options = &viewer->options;
	int r = merge_report_make(&viewer->reader, options->compare, &viewer->report,
				  &viewer->base);

	viewer->report.title = options->title;
	for (unsigned i = 0; r == 0 && i < options->output_count; i++) {
		int code = write_output(viewer, options->outputs[i].format, options->outputs[i].fd);

		(void)tm_control_send(options->control_fd, TM_CONTROL_OUTPUT, code, i);
	}
	if (r == 0 && !options->compare)
		send_top(viewer);
	merge_report_deinit(&viewer->merge, &viewer->report);
	return r ? -ENOMEM : 0;
}

static bool has_samples(const struct viewer *viewer)
{
	for (unsigned side = 0; side < (viewer->options.compare ? TM_VIEW_SIDES : 1u); side++)
		if (viewer->reader.counts[side].reports == 0)
			return false;
	return true;
}

static int show(struct viewer *viewer)
{
	int r = merge_init(&viewer->merge, &viewer->budget);

	otlp_reader_init(&viewer->reader, &viewer->merge, &viewer->options.selection);
	sources_init(&viewer->sources, &viewer->reader, viewer->options.control_fd);
	if (r == 0)
		r = read_inputs(viewer);
	sources_deinit(&viewer->sources);
	if (r == 0)
		send_result(viewer);
	if (r == 0 && has_samples(viewer))
		r = write_outputs(viewer);
	otlp_reader_deinit(&viewer->reader);
	merge_deinit(&viewer->merge);
	return r > 0 ? -ENOMEM : r;
}

int main(int argc, char **argv)
{
	static struct viewer viewer;
	struct options *options = &viewer.options;
	const char *bad = "";
	int r;

	(void)prctl(PR_SET_NAME, "tidemark-viewer");
	ignore_signals();
	if (options_parse(options, argc, argv, &bad) < 0 ||
	    fcntl(options->control_fd, F_SETFD, FD_CLOEXEC) < 0) {
		(void)fprintf(stderr, "tidemark-viewer is started by tidemark: %s\n", bad);
		return 2;
	}
	viewer.budget.limit = options->memory_bytes;
	r = tm_sandbox_harden();
	if (r == 0)
		r = tm_sandbox_limits(0, ADDRESS_SPACE_BYTES);
	if (r == 0)
		r = tm_sandbox_filter(&viewer_filter);
	if (r < 0)
		return fail(options, TM_FAILURE_HOST, "the viewer could not enter its sandbox", r);
	(void)tm_control_send(options->control_fd, TM_CONTROL_READY, 0, 0);
	r = show(&viewer);
	(void)tm_control_send(options->control_fd, TM_CONTROL_DONE, r, 0);
	(void)tm_fdpass_close(options->control_fd);
	return r < 0;
}
