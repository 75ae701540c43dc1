/* SPDX-License-Identifier: Apache-2.0 */
/* view - `tidemark view` and `tidemark diff`: pictures of what was recorded before */

#include "cli/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "cli/exit_code.h"
#include "cli/help.h"
#include "cli/preflight.h"
#include "cli/program_paths.h"
#include "cli/report_table.h"
#include "cli/terminal.h"
#include "cli/view_child.h"
#include "shared/cleanup.h"

#define TITLE_BYTES 512
#define NS_PER_S    1000000000ull
#define GAP_MIN_NS  NS_PER_S /* what less time is without a report is not worth a line */

/* --- the title -------------------------------------------------------------------------------- */

struct title {
	char text[TITLE_BYTES];
};

static void add(struct title *title, const char *before, const char *text)
{
	size_t used = strlen(title->text);

	(void)snprintf(title->text + used, sizeof(title->text) - used, "%s%s", before, text);
}

static void add_values(struct title *title, const char *before,
		       const struct view_options_values *values)
{
	for (size_t i = 0; i < values->count; i++)
		add(title, before, values->items[i]);
}

static void add_side(struct title *title, const struct view_options_side *side)
{
	char from[VIEW_TIME_TEXT_BYTES], to[VIEW_TIME_TEXT_BYTES];

	if (!side->is_window) {
		for (size_t i = 0; i < side->file_count; i++)
			add(title, " ", side->files[i]);
		return;
	}
	view_time_format(side->from_unix_ns, from);
	view_time_format(side->to_unix_ns, to);
	add(title, " ", from);
	add(title, " to ", to);
}

static void make_title(struct title *title, const struct view_options *options)
{
	struct utsname host;

	title->text[0] = '\0';
	if (uname(&host) == 0)
		add(title, host.nodename, ":");
	add(title, " ", options->compare ? "tidemark diff" : "tidemark view");
	if (options->compare) {
		add_side(title, &options->sides[1]);
		add(title, " ", "and");
	}
	add_side(title, &options->sides[0]);
	add_values(title, " --comm ", &options->comms);
	add_values(title, " --pid ", &options->pids);
	add_values(title, " --container ", &options->containers);
	add_values(title, " --unit ", &options->units);
	terminal_clean(title->text, sizeof(title->text));
}

/* --- what was found --------------------------------------------------------------------------- */

/* Of a window without a report: how far back there are some. */
static int nothing(const struct view_options_side *side, const struct tm_view_side *found)
{
	char from[VIEW_TIME_TEXT_BYTES], to[VIEW_TIME_TEXT_BYTES], first[VIEW_TIME_TEXT_BYTES],
		last[VIEW_TIME_TEXT_BYTES];

	if (!side->is_window) {
		terminal_print("%s: no report of tidemark is in it", side->files[0]);
		return EXIT_CODE_FAILED;
	}
	view_time_format(side->from_unix_ns, from);
	view_time_format(side->to_unix_ns, to);
	view_time_format(found->available_start, first);
	view_time_format(found->available_end, last);
	if (found->available_end == 0)
		terminal_print("nothing from %s to %s: the spool has no report", from, to);
	else
		terminal_print("nothing from %s to %s: the spool reaches from %s to %s", from, to,
			       first, last);
	return EXIT_CODE_FAILED;
}

static void print_side(const char *name, const struct tm_view_side *side)
{
	char from[VIEW_TIME_TEXT_BYTES], to[VIEW_TIME_TEXT_BYTES];
	uint64_t span = side->end_unix_ns - side->start_unix_ns;

	view_time_format(side->start_unix_ns, from);
	view_time_format(side->end_unix_ns, to);
	(void)printf("%s%" PRIu64 " reports from %s to %s: %" PRIu64 " samples, %.3f s of CPU time",
		     name, side->reports, from, to, side->samples, (double)side->ns / 1e9);
	if (side->waits)
		(void)printf("; off-CPU: %" PRIu64 " samples, %.3f s", side->waits,
			     (double)side->wait_ns / 1e9);
	(void)putchar('\n');
	if (span > side->covered_ns && span - side->covered_ns >= GAP_MIN_NS)
		(void)printf("%sno report covers %.1f s of it\n", name,
			     (double)(span - side->covered_ns) / 1e9);
	if (side->missing)
		terminal_print("%s%" PRIu64 " samples that the reports count are missing: a part "
			       "of a report is lost, or was removed when the spool was full",
			       name, side->missing);
}

static void print_found(const struct view_child *viewer)
{
	const struct tm_view_result *result = &viewer->result;

	if (viewer->options->compare)
		print_side("A: ", &result->sides[1]);
	print_side(viewer->options->compare ? "B: " : "", &result->sides[0]);
	if (result->damaged)
		terminal_print("%" PRIu64 " damaged parts are left out", result->damaged);
	if (result->again)
		terminal_print("%" PRIu64 " profiles were there twice and count once",
			       result->again);
	if (result->foreign)
		terminal_print("%" PRIu64 " profiles are not tidemark's: what they lack is not "
			       "known",
			       result->foreign);
}

static int store(struct view_child *viewer, struct outputs *outputs)
{
	static const struct summary none;
	int r = outputs_store(outputs, &viewer->results, &none);

	report_table_print(stdout, viewer->top, viewer->top_count, viewer->result.sides[0].samples);
	print_found(viewer);
	for (size_t i = 0; i < outputs->count; i++)
		if (outputs->stored[i])
			(void)printf("written: %s\n", outputs->items[i].path);
	(void)fflush(stdout);
	return r;
}

static int check(const struct view_child *viewer)
{
	for (unsigned side = viewer->options->compare ? 2 : 1; side-- > 0;)
		if (viewer->result.sides[side].reports == 0)
			return nothing(&viewer->options->sides[side], &viewer->result.sides[side]);
	if (viewer->result.sides[0].samples + viewer->result.sides[0].waits == 0)
		terminal_print("the reports of this time have no such sample");
	return 0;
}

/* --- in order --------------------------------------------------------------------------------- */

static int run(const struct view_options *options, struct view_inputs *inputs,
	       struct outputs *outputs)
{
	static struct view_child viewer; /* large */
	_cleanup_(tm_closep) int program = -1;
	int programs[PROGRAM_PATHS_N];
	struct title title;
	int r = view_inputs_open(inputs, options);

	if (r == 0)
		r = outputs_open(outputs, NULL, &options->outputs, 0);
	if (r == 0)
		r = program_paths_open(programs, ~(1u << PROGRAM_PATHS_VIEWER));
	if (r != 0)
		return r;
	program = programs[PROGRAM_PATHS_VIEWER];
	make_title(&title, options);
	viewer = (struct view_child){
		.options = options, .inputs = inputs, .outputs = outputs, .table = -1};
	r = view_child_run(&viewer, program, title.text);
	if (r == 0)
		r = check(&viewer);
	return r ? r : store(&viewer, outputs);
}

static uint64_t now_unix_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

int view_main(int argc, char *const argv[])
{
	static struct view_options options; /* large */
	static struct outputs outputs;
	struct view_inputs inputs = {0};
	char problem[PROBLEM_BYTES];
	int r = view_options_parse(&options, argc, argv, now_unix_ns(), problem);

	if (r == OPTIONS_E_HELP)
		return help_print(options.compare ? HELP_DIFF : HELP_VIEW);
	if (r == OPTIONS_E_USAGE) {
		terminal_print("%s (see tidemark %s --help)", problem, argv[0]);
		return EXIT_CODE_USAGE;
	}
	terminal_set_verbose(options.outputs.verbose);
	preflight_raise_files();
	r = run(&options, &inputs, &outputs);
	outputs_close(&outputs);
	view_inputs_close(&inputs);
	return r;
}
