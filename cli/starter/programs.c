/* SPDX-License-Identifier: Apache-2.0 */
/* programs - starts a program as it was prepared, with the descriptors of this start */

#include "cli/starter/programs.h"

#include "shared/cleanup.h"

/* The options by which programs learn of descriptors that they are given. */
static const char *const options[STARTER_SLOT_N] = {
	[STARTER_SLOT_CONTROL] = "control-fd",       [STARTER_SLOT_WIRE] = "wire-fd",
	[STARTER_SLOT_SOCKET] = "socket-fd",         [STARTER_SLOT_OPENER] = "opener-fd",
	[STARTER_SLOT_DEBUGINFOD] = "debuginfod-fd", [STARTER_SLOT_EXPORTER] = "exporter-fd",
	[STARTER_SLOT_SPOOL] = "spool-fd",
};

static void add_outputs(struct launch *launch, const struct outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++)
		launch_pair(launch, "output", format_name(outputs->options->outputs[i].format),
			    outputs->items[i].fd);
}

int programs_start(struct preparation *preparation, const struct outputs *outputs,
		   enum program_paths_program program, const int given[STARTER_SLOT_N],
		   struct child *ret_child)
{
	struct launch *launch = &preparation->launches[program];
	const struct launch_mark prepared = launch_mark(launch);
	int r;

	for (size_t i = 0; i < STARTER_SLOT_N; i++)
		if (given[i] >= 0)
			launch_descriptor(launch, options[i], given[i]);
	if (program == PROGRAM_PATHS_SYMBOLIZER)
		add_outputs(launch, outputs);
	r = launch_start(launch, ret_child);
	launch_return_to(launch, prepared);
	if (program == PROGRAM_PATHS_COLLECTOR) { /* it alone has them, and is started once */
		perf_events_close(&preparation->perf);
		preparation->programs[program] = tm_close(preparation->programs[program]);
	}
	return r;
}
