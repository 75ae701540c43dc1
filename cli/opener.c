/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opener - starts tidemark-opener, which opens sampled files for the collector, and another one
 * when it dies
 */

#include "cli/opener.h"

#include <string.h>

#include "cli/terminal.h"
#include "shared/cleanup.h"

static void grant(struct launch *launch, const void *context)
{
	static const cap_value_t capabilities[] = {CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH,
						   CAP_CHECKPOINT_RESTORE};
	const bool *public_files = context;
	const size_t count = *public_files ? 1 : sizeof(capabilities) / sizeof(capabilities[0]);

	for (size_t i = 0; i < count; i++)
		if (cap_get_bound(capabilities[i]) == CAP_SET)
			launch_capability(launch, capabilities[i]);
}

int opener_start(struct opener *opener, bool public_files, int program,
		 struct uid_pool_account account)
{
	const struct symbolizer_child_start start = {
		.name = PROGRAM_PATHS_OPENER,
		.program = program,
		.account = account,
		.add_arguments = grant,
		.context = &public_files,
	};

	return symbolizer_child_start(&opener->child, &start);
}

void opener_restart(struct opener *opener, bool public_files, int program,
		    struct uid_pool_account account, struct child *collector)
{
	_cleanup_(tm_closep) int socket = -1;
	int r;

	if (opener->restarts >= OPENER_RESTARTS_MAX) {
		symbolizer_child_lose(&opener->child, "functions of files that are sampled from "
						      "now on stay unnamed");
		return;
	}
	opener->restarts++;
	symbolizer_child_lose(&opener->child, "restarting it");
	socket = opener_start(opener, public_files, program, account);
	if (socket < 0)
		return;
	r = child_send_fd(collector, TM_CONTROL_OPENER, 0, socket);
	if (r < 0)
		terminal_verbose("the new tidemark-opener could not be sent to %s: %s",
				 collector->name, strerror(-r));
}

void opener_stop(struct opener *opener, unsigned ms)
{
	symbolizer_child_await(&opener->child, ms);
}
