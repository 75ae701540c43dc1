/* SPDX-License-Identifier: Apache-2.0 */
/* view_child - runs tidemark-viewer until it has written the outputs, and keeps what it says */

#include "cli/view_child.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/exit_code.h"
#include "cli/launch.h"
#include "cli/program_paths.h"
#include "cli/spawn.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"

/* --- starting --------------------------------------------------------------------------------- */

static void add_values(struct launch *launch, const char *option,
		       const struct view_options_values *values)
{
	for (size_t i = 0; i < values->count; i++)
		launch_argument(launch, "--%s=%s", option, values->items[i]);
}

static void add_windows(struct launch *launch, const struct view_options *options)
{
	for (unsigned side = 0; side < VIEW_OPTIONS_SIDES; side++)
		if (options->sides[side].is_window)
			launch_argument(launch, "--%swindow=%" PRIu64 ":%" PRIu64,
					side ? "base-" : "", options->sides[side].from_unix_ns,
					options->sides[side].to_unix_ns);
}

static void add_inputs(struct launch *launch, const struct view_inputs *inputs)
{
	static const char *const names[VIEW_OPTIONS_SIDES][2] = {
		{"otlp", "segment"},
		{"base-otlp", "base-segment"},
	};

	for (size_t i = 0; i < inputs->count; i++) {
		const struct view_input *input = &inputs->items[i];

		launch_pair(launch, names[input->side][input->is_segment], input->name, input->fd);
	}
}

static void add_arguments(struct launch *launch, const struct view_child *viewer, const char *title)
{
	const struct view_options *options = viewer->options;

	launch_argument(launch, "--title=%s", title);
	launch_argument(launch, "--memory-bytes=%" PRIu64, (uint64_t)options->memory_mib << 20);
	for (size_t i = 0; viewer->outputs && i < options->outputs.output_count; i++)
		launch_pair(launch, "output", format_name(options->outputs.outputs[i].format),
			    viewer->outputs->items[i].fd);
	if (viewer->table >= 0)
		launch_pair(launch, "output", "table", viewer->table);
	add_windows(launch, options);
	add_values(launch, "comm", &options->comms);
	add_values(launch, "pid", &options->pids);
	add_values(launch, "container", &options->containers);
	add_values(launch, "unit", &options->units);
	add_inputs(launch, viewer->inputs);
}

static int start(struct view_child *viewer, int program, const char *title)
{
	const char *name = program_paths_name(PROGRAM_PATHS_VIEWER);
	_cleanup_(tm_closep) int theirs = -1;
	struct launch launch;
	int ends[2], r;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
		terminal_print("%s cannot be started: no socket: %s", name, strerror(errno));
		return EXIT_CODE_FAILED;
	}
	viewer->child.control = ends[0];
	theirs = ends[1];
	if (launch_init(&launch, name, program, viewer->account) < 0) {
		terminal_print("%s cannot be started: out of memory", name);
		return EXIT_CODE_FAILED;
	}
	launch.credentials.as_caller = geteuid() != 0;
	launch_descriptor(&launch, "control-fd", theirs);
	add_arguments(&launch, viewer, title);
	r = launch_start(&launch, &viewer->child);
	launch_deinit(&launch);
	return r;
}

/* --- while it runs ---------------------------------------------------------------------------- */

static void on_output(struct view_child *viewer, const struct tm_control *message)
{
	if (!viewer->outputs || message->value >= viewer->outputs->count)
		return;
	viewer->results.has[message->value] = true;
	viewer->results.codes[message->value] = message->code;
}

static void on_done(struct view_child *viewer, int code)
{
	viewer->child.done = code == 0;
	viewer->child.failed = code != 0;
	viewer->results.reported = code == 0;
	if (code == -ENOMEM)
		terminal_print("the reports need more than %u MiB: raise --memory-max, or choose "
			       "less time or fewer processes",
			       viewer->options->memory_mib);
	else if (code != 0)
		terminal_print("%s failed: %s", viewer->child.name,
			       strerror(code < 0 && code > INT_MIN ? -code : EPROTO));
}

static void apply(struct view_child *viewer, struct tm_control *message)
{
	switch (message->kind) {
	case TM_CONTROL_OUTPUT:
		on_output(viewer, message);
		return;
	case TM_CONTROL_NOTE:
		child_note(&viewer->child, message->body.text);
		return;
	case TM_CONTROL_RESULT:
		viewer->result = *tm_view_result(message);
		viewer->has_result = true;
		return;
	case TM_CONTROL_TOP:
		if (viewer->top_count < TM_TOP_ROWS)
			viewer->top[viewer->top_count++] = *tm_result_top(message);
		return;
	case TM_CONTROL_FAILED:
		viewer->child.failed = true;
		terminal_print("%s", message->body.text);
		return;
	case TM_CONTROL_DONE:
		on_done(viewer, message->code);
		return;
	default:
		return;
	}
}

static void receive_all(struct view_child *viewer)
{
	struct tm_control message;

	while (child_receive(&viewer->child, &message) == 0)
		apply(viewer, &message);
}

void view_child_serve(struct view_child *viewer)
{
	struct pollfd end = {.fd = viewer->child.pidfd, .events = POLLIN};
	bool has_ended = poll(&end, 1, 0) > 0; /* asked first: nothing comes after what is read */

	receive_all(viewer);
	child_print_errors(&viewer->child);
	if (has_ended)
		child_reap(&viewer->child);
}

/* Until it ends. */
static void run(struct view_child *viewer)
{
	struct child *child = &viewer->child;

	while (!child->ended) {
		struct pollfd events[] = {
			{.fd = child->control, .events = POLLIN},
			{.fd = child->errors, .events = POLLIN},
			{.fd = child->pidfd, .events = POLLIN},
		};

		if (poll(events, sizeof(events) / sizeof(events[0]), -1) < 0 && errno != EINTR)
			return;
		view_child_serve(viewer);
	}
}

static int result(const struct view_child *viewer)
{
	char how[64];

	if (viewer->child.failed)
		return EXIT_CODE_FAILED;
	if (viewer->child.done && viewer->has_result)
		return 0;
	spawn_describe(viewer->child.status, how, sizeof(how));
	terminal_print("%s ended early %s; nothing is written", viewer->child.name, how);
	return EXIT_CODE_FAILED;
}

int view_child_start(struct view_child *viewer, int program, const char *title)
{
	int r = 0;

	viewer->account = (struct uid_pool_account){geteuid(), getegid(), -1};
	viewer->child = CHILD_NULL;
	viewer->child.name = program_paths_name(PROGRAM_PATHS_VIEWER);
	if (viewer->account.uid == 0)
		r = uid_pool_borrow(&viewer->account);
	return r ? r : start(viewer, program, title);
}

int view_child_finish(struct view_child *viewer)
{
	int r = viewer->child.ended ? result(viewer) : EXIT_CODE_FAILED;

	child_kill(&viewer->child);
	uid_pool_return(&viewer->account);
	return r;
}

int view_child_run(struct view_child *viewer, int program, const char *title)
{
	int r = view_child_start(viewer, program, title), finished;

	if (r == 0)
		run(viewer);
	finished = view_child_finish(viewer);
	return r ? r : finished;
}
