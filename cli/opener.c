/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opener - starts tidemark-opener, which opens sampled files for the collector, and another one
 * when it dies
 */

#include "cli/opener.h"

#include <signal.h>
#include <string.h>

#include "cli/terminal.h"
#include "shared/cleanup.h"
#include "shared/clock.h"

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

	if (!restart_limit_allows(&opener->limit, tm_clock_ns())) {
		opener->missing = true;
		symbolizer_child_lose(&opener->child,
				      "not restarting it before a minute is over: until then "
				      "functions of new files stay unnamed");
		return;
	}
	if (!opener->missing)
		symbolizer_child_lose(&opener->child, "restarting it");
	opener->missing = false;
	socket = opener_start(opener, public_files, program, account);
	if (socket < 0)
		return;
	r = child_send_fd(collector, TM_CONTROL_OPENER, ++opener->number, socket);
	if (r < 0)
		terminal_verbose("the new tidemark-opener could not be sent to %s: %s",
				 collector->name, strerror(-r));
}

bool opener_may_restart(const struct opener *opener)
{
	return opener->missing && tm_clock_ns() >= restart_limit_next_ns(&opener->limit);
}

void opener_kill(const struct opener *opener, uint64_t lost)
{
	const struct child *program = &opener->child.child;

	if (lost == opener->number && program->pidfd >= 0 && !program->ended)
		(void)kill(program->pid, SIGKILL);
}

void opener_stop(struct opener *opener, unsigned ms)
{
	symbolizer_child_await(&opener->child, ms);
}
