/* SPDX-License-Identifier: Apache-2.0 */
/* top_source - has tidemark-viewer add up the newest reports of the spool, again and again */

#include "cli/top_source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/exit_code.h"
#include "cli/program_paths.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"

#define DELAY_NS (60ull * 1000000000) /* from a report's end to when it is kept, at most about */
#define TITLE    "tidemark top"

int top_source_open(struct top_source *source, const struct top_options *options)
{
	int programs[PROGRAM_PATHS_N];
	int r = program_paths_open(programs, ~(1u << PROGRAM_PATHS_VIEWER));

	source->options = options;
	source->file = -1;
	source->program = r ? -1 : programs[PROGRAM_PATHS_VIEWER];
	return r;
}

static void close_inputs(struct top_source *source)
{
	view_inputs_close(&source->inputs);
	source->file = tm_close(source->file);
}

void top_source_close(struct top_source *source)
{
	if (source->running)
		(void)view_child_finish(&source->viewer);
	source->running = false;
	close_inputs(source);
	source->program = tm_close(source->program);
}

/* --- starting --------------------------------------------------------------------------------- */

/* A file of one size, so that the viewer cannot fill the memory. */
static int make_file(struct top_source *source)
{
	source->file = memfd_create("tidemark-top", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (source->file < 0 || ftruncate(source->file, TM_VIEW_TABLE_BYTES) < 0 ||
	    fcntl(source->file, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0) {
		terminal_print("no file for the table: %s", strerror(errno));
		return EXIT_CODE_FAILED;
	}
	return 0;
}

static int start(struct top_source *source, uint64_t end_unix_ns)
{
	struct view_options *view = &source->view;
	const uint64_t window = source->options->window_ns;
	int r;

	memset(view, 0, sizeof(*view));
	view->spool = source->options->spool;
	view->memory_mib = VIEW_OPTIONS_MIB;
	view->recent_ns = window + DELAY_NS;
	view->sides[0].is_window = true;
	view->sides[0].to_unix_ns = end_unix_ns;
	view->sides[0].from_unix_ns = end_unix_ns > window ? end_unix_ns - window : 0;
	r = view_inputs_open(&source->inputs, view);
	if (r == 0)
		r = make_file(source);
	if (r == 0) {
		source->viewer = (struct view_child){
			.options = view, .inputs = &source->inputs, .table = source->file};
		source->running = true;
		r = view_child_start(&source->viewer, source->program, TITLE);
	}
	return r;
}

int top_source_start(struct top_source *source, uint64_t now_unix_ns)
{
	source->is_older = false;
	return start(source, now_unix_ns);
}

/* --- while it runs, and behind that ----------------------------------------------------------- */

bool top_source_serve(struct top_source *source)
{
	view_child_serve(&source->viewer);
	return source->viewer.child.ended;
}

static int read_table(struct top_source *source)
{
	static char text[TM_VIEW_TABLE_BYTES]; /* large */
	static struct top_table table;         /* likewise */
	ssize_t got = pread(source->file, text, sizeof(text), 0);

	if (got < 0 || top_table_parse(&table, text, (size_t)got) != 0) {
		terminal_print("the table of %s cannot be read", source->viewer.child.name);
		return EXIT_CODE_FAILED;
	}
	source->table = table;
	return 0;
}

int top_source_finish(struct top_source *source)
{
	const struct tm_view_side *side = &source->viewer.result.sides[0];
	int r = view_child_finish(&source->viewer);

	source->running = false;
	if (r == 0 && side->reports)
		r = read_table(source);
	close_inputs(source);
	if (r)
		return r;
	if (side->reports == 0 && side->available_end && !source->is_older) {
		source->is_older = true;
		return start(source, side->available_end);
	}
	source->result = source->viewer.result;
	return 0;
}
